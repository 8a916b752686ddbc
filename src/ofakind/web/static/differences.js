// What differs between two texts: character by character, as the terminal has it, or word by word of long ones.

const WORDS = 160; // characters from which on words are compared, which reads better
const LONGEST = 1500; // characters or words between what both begin and end with; of more, nothing is marked
const ALIKE = 0.6; // below this similarity nothing is marked: the texts are just different

export const SAME = "=", NEARLY = "≈", DIFFERENT = "≠", ONE_SIDED = "·";

/** A sign for two values: equal, equal but for case, blanks and punctuation, different, or one is missing. */
export function signOf(left, right) {
  if (left === null || right === null) return ONE_SIDED;
  if (left === right) return SAME;
  const [one, other] = [bare(left), bare(right)];
  return one && one === other ? NEARLY : DIFFERENT;
}

function bare(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Both texts in parts, each { text, marked }. */
export function parts(left, right) {
  const [one, other] = [tokens(left, right), tokens(right, left)];
  let begin = 0;
  while (begin < one.length && begin < other.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - begin;
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const inner = [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
  if (inner[0].length > LONGEST || inner[1].length > LONGEST) return [plain(left), plain(right)];
  const common = commonest(...inner);
  const shared = 2 * (begin + end + common.length);
  if (shared < ALIKE * (one.length + other.length)) return [plain(left), plain(right)];
  const kept = [new Set(common.map((two) => two[0])), new Set(common.map((two) => two[1]))];
  return [one, other].map((side, which) => {
    const last = side.length - end;
    const marks = side.map((_, at) => at >= begin && at < last && !kept[which].has(at - begin));
    const bridged = marks.map((marked, at) => marked || Boolean(marks[at - 1] && marks[at + 1] && /^ +$/.test(side[at])));
    return joined(side.map((text, at) => ({ text, marked: bridged[at] })));
  });
}

/** Single characters of short texts, words of long ones. */
function tokens(text, other) {
  const long = text.length > WORDS || other.length > WORDS;
  return long ? text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [] : Array.from(text);
}

function plain(text) {
  return [{ text, marked: false }];
}

function joined(pieces) {
  const found = [];
  for (const piece of pieces) {
    const last = found[found.length - 1];
    if (last && last.marked === piece.marked) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}

/** The longest common subsequence, as pairs of places. */
function commonest(one, other) {
  const width = other.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      const same = table[(i + 1) * width + j + 1] + 1;
      const down = table[(i + 1) * width + j], right = table[i * width + j + 1];
      table[i * width + j] = one[i] === other[j] ? same : Math.max(down, right);
    }
  }
  const found = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) found.push([i++, j++]);
    else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return found;
}
