// The points of the map: where they are, which is near, and how they get onto a canvas within a frame.
// They are written straight into the pixels of an image: where points are large, few of them are in sight.

const CELL = 4; // width of a cell of the index, in widths of a point
const LARGEST = 18; // radius of a point in CSS pixels, at most
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

function bytes(text) {
  const found = atob(text);
  const array = new Uint8Array(found.length);
  for (let at = 0; at < found.length; at += 1) array[at] = found.charCodeAt(at);
  return array;
}

/** Objects by their numbers, with an index of cells: looking for one looks at few. */
export class Points {
  constructor(found) {
    this.x = new Float32Array(bytes(found.x).buffer);
    this.y = new Float32Array(bytes(found.y).buffer);
    this.group = new Int32Array(bytes(found.group).buffer);
    this.colour = bytes(found.colour);
    this.doubt = bytes(found.doubt);
    this.doubtfulFrom = found.doubtful_from;
    this.size = this.x.length;
    this.sizes = new Map();
    for (const one of this.group) this.sizes.set(one, (this.sizes.get(one) ?? 0) + 1);
    this.measure();
    this.index();
    this.labels = this.heaps(found.names);
  }

  measure() {
    this.box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (let at = 0; at < this.size; at += 1) {
      this.box.left = Math.min(this.box.left, this.x[at]);
      this.box.right = Math.max(this.box.right, this.x[at]);
      this.box.top = Math.min(this.box.top, this.y[at]);
      this.box.bottom = Math.max(this.box.bottom, this.y[at]);
    }
    if (!this.size) this.box = { left: 0, top: 0, right: 0, bottom: 0 };
  }

  index() {
    this.columns = Math.floor((this.box.right - this.box.left) / CELL) + 1;
    this.rows = Math.floor((this.box.bottom - this.box.top) / CELL) + 1;
    this.start = new Uint32Array(this.columns * this.rows + 1);
    const cell = new Uint32Array(this.size);
    for (let at = 0; at < this.size; at += 1) {
      const column = Math.floor((this.x[at] - this.box.left) / CELL), row = Math.floor((this.y[at] - this.box.top) / CELL);
      cell[at] = row * this.columns + column;
      this.start[cell[at] + 1] += 1;
    }
    for (let at = 0; at < this.columns * this.rows; at += 1) this.start[at + 1] += this.start[at];
    const free = this.start.slice();
    this.members = new Uint32Array(this.size);
    for (let at = 0; at < this.size; at += 1) this.members[free[cell[at]]++] = at;
  }

  /** The names of groups, each with the middle of its heap and how far that reaches. */
  heaps(names) {
    const heaps = new Map(names.map(({ group, name }) => [group, { group, name, x: 0, y: 0, far: 0 }]));
    for (let at = 0; at < this.size; at += 1) {
      const heap = heaps.get(this.group[at]);
      if (!heap) continue;
      heap.x += this.x[at] / this.sizes.get(heap.group);
      heap.y += this.y[at] / this.sizes.get(heap.group);
    }
    for (let at = 0; at < this.size; at += 1) {
      const heap = heaps.get(this.group[at]);
      if (heap) heap.far = Math.max(heap.far, Math.hypot(this.x[at] - heap.x, this.y[at] - heap.y));
    }
    return [...heaps.values()];
  }

  isDoubtful(at) {
    return this.doubt[at] >= this.doubtfulFrom;
  }

  /** Call `visit` with all points in cells that a box touches; returns how many these are. */
  within(box, visit) {
    const clamp = (value, most) => Math.min(Math.max(Math.floor(value / CELL), 0), most - 1);
    if (!this.size || box.right < this.box.left || box.left > this.box.right || box.bottom < this.box.top || box.top > this.box.bottom) return 0;
    const [first, last] = [clamp(box.left - this.box.left, this.columns), clamp(box.right - this.box.left, this.columns)];
    const [high, low] = [clamp(box.top - this.box.top, this.rows), clamp(box.bottom - this.box.top, this.rows)];
    let count = 0;
    for (let row = high; row <= low; row += 1) {
      const begin = this.start[row * this.columns + first], end = this.start[row * this.columns + last + 1];
      for (let at = begin; at < end; at += 1) visit(this.members[at]);
      count += end - begin;
    }
    return count;
  }

  /** The point nearest to a place, within a reach; -1 if there is none. */
  near(x, y, reach) {
    let [best, found] = [reach * reach, -1];
    this.within({ left: x - reach, right: x + reach, top: y - reach, bottom: y + reach }, (at) => {
      const square = (this.x[at] - x) ** 2 + (this.y[at] - y) ** 2;
      if (square <= best) [best, found] = [square, at];
    });
    return found;
  }
}

/** A pixel as it lies in memory. */
function packed([red, green, blue]) {
  return (LITTLE_ENDIAN ? (255 << 24) | (blue << 16) | (green << 8) | red : (red << 24) | (green << 16) | (blue << 8) | 255) >>> 0;
}

function mixed(one, other, share) {
  return one.map((value, at) => Math.round(value * (1 - share) + other[at] * share));
}

/** The pixels of a ring from one radius to another (a disc from 0), with how much of each is covered. */
function stamp(inner, outer) {
  const reach = Math.ceil(outer + 0.5), dx = [], dy = [], cover = [];
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) {
      const away = Math.hypot(x, y);
      const share = Math.min(Math.max(outer + 0.5 - away, 0), 1) * (inner ? Math.min(Math.max(away - inner + 0.5, 0), 1) : 1);
      if (share > 0.06) { dx.push(x); dy.push(y); cover.push(Math.round(share * 255)); }
    }
  }
  return { reach, dx: Int16Array.from(dx), dy: Int16Array.from(dy), cover: Uint8Array.from(cover) };
}

/** Draws points into an image of its own; `draw` puts it onto a canvas. */
export class Painter {
  constructor() {
    this.stamps = new Map();
    this.later = [];
  }

  /** `theme`: paper, ink, focus and palette as [red, green, blue]. */
  dress(theme) {
    this.theme = theme;
    this.palette = theme.palette.map(packed);
    this.faded = theme.palette.map((one) => packed(mixed(one, theme.paper, 0.82)));
    this.dim = theme.palette.map((one) => packed(mixed(one, theme.ink, 0.45)));
    [this.paper, this.ink, this.focus] = [theme.paper, theme.ink, theme.focus].map(packed);
  }

  stamp(inner, outer) {
    const key = `${inner.toFixed(2)} ${outer.toFixed(2)}`;
    if (!this.stamps.has(key)) {
      if (this.stamps.size > 60) this.stamps.clear();
      this.stamps.set(key, stamp(inner, outer));
    }
    return this.stamps.get(key);
  }

  /** Draw all points in sight; returns how many were looked at. */
  draw(context, points, view, lit) {
    const { width, height } = context.canvas;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(this.paper);
    const radius = Math.round(4 * view.radius) / 4, thick = Math.max(view.ratio * 1.1, radius * 0.3);
    const tiny = radius < 1.4 * view.ratio; // too small for a ring: what is doubtful is darker, or lighter in the dark
    const dot = this.stamp(0, radius), ring = this.stamp(radius + 0.5, radius + thick);
    this.later.length = 0;
    const seen = points.within(view.sight(radius + thick), (at) => {
      if ((lit && lit[at]) || points.isDoubtful(at)) this.later.push(at);
      else this.put(dot, view.toX(points.x[at]), view.toY(points.y[at]), (lit ? this.faded : this.palette)[points.colour[at]]);
    });
    for (const at of this.later) {
      const x = view.toX(points.x[at]), y = view.toY(points.y[at]), quiet = lit && !lit[at];
      if (!quiet && (lit || !tiny)) this.put(ring, x, y, lit ? this.focus : this.ink);
      this.put(dot, x, y, (quiet ? this.faded : tiny && !lit ? this.dim : this.palette)[points.colour[at]]);
    }
    context.putImageData(this.image, 0, 0);
    return seen;
  }

  put(stamp, atX, atY, colour) {
    const { reach, dx, dy, cover } = stamp, { width, height } = this.image, pixels = this.pixels;
    const x = Math.round(atX), y = Math.round(atY);
    if (x >= reach && y >= reach && x < width - reach && y < height - reach) {
      const offsets = this.offsets(stamp), place = y * width + x;
      for (let at = 0; at < offsets.length; at += 1) {
        const here = place + offsets[at];
        pixels[here] = cover[at] === 255 ? colour : blend(pixels[here], colour, cover[at]);
      }
      return;
    }
    for (let at = 0; at < dx.length; at += 1) {
      const px = x + dx[at], py = y + dy[at];
      if (px >= 0 && py >= 0 && px < width && py < height) pixels[py * width + px] = blend(pixels[py * width + px], colour, cover[at]);
    }
  }

  /** Where the pixels of a stamp lie from its middle, in an image of this width. */
  offsets(stamp) {
    if (stamp.width !== this.image.width) {
      stamp.width = this.image.width;
      stamp.at = Int32Array.from(stamp.dx, (dx, at) => stamp.dy[at] * stamp.width + dx);
    }
    return stamp.at;
  }
}

/** Two pixels mixed, two channels at a time; `share` of 255 is the second. */
function blend(below, above, share) {
  if (share === 255) return above;
  const odd = ((((below >>> 8) & 0xff00ff) * (255 - share) + ((above >>> 8) & 0xff00ff) * share) >>> 8) & 0xff00ff;
  const even = (((below & 0xff00ff) * (255 - share) + (above & 0xff00ff) * share) >>> 8) & 0xff00ff;
  return ((odd << 8) | even | (LITTLE_ENDIAN ? 0xff000000 : 0xff)) >>> 0;
}

/** Which part of the map is in sight: its middle, and CSS pixels per unit. */
export class View {
  constructor() {
    Object.assign(this, { x: 0, y: 0, scale: 1, width: 1, height: 1, ratio: 1 });
  }

  /** Radius of a point, in pixels of the canvas. */
  get radius() {
    return this.ratio * Math.min(Math.max(0.46 * this.scale, 0.75), LARGEST);
  }

  toX(x) {
    return (x - this.x) * this.scale * this.ratio + (this.width * this.ratio) / 2;
  }

  toY(y) {
    return (y - this.y) * this.scale * this.ratio + (this.height * this.ratio) / 2;
  }

  /** The place on the map under a place on the canvas, in CSS pixels. */
  place(left, top) {
    return { x: this.x + (left - this.width / 2) / this.scale, y: this.y + (top - this.height / 2) / this.scale };
  }

  /** The part in sight, with a margin in pixels of the canvas. */
  sight(margin = 0) {
    const wide = (this.width / 2 + margin / this.ratio) / this.scale, high = (this.height / 2 + margin / this.ratio) / this.scale;
    return { left: this.x - wide, right: this.x + wide, top: this.y - high, bottom: this.y + high };
  }

  zoom(factor, left, top, least) {
    const before = this.place(left, top);
    this.scale = Math.min(Math.max(this.scale * factor, least), LARGEST / 0.46);
    const after = this.place(left, top);
    this.x += before.x - after.x;
    this.y += before.y - after.y;
  }

  fit(box) {
    this.x = (box.left + box.right) / 2;
    this.y = (box.top + box.bottom) / 2;
    this.scale = this.whole(box);
  }

  /** The scale at which everything is in sight. */
  whole(box) {
    return Math.min((this.width - 24) / (box.right - box.left + 2), (this.height - 24) / (box.bottom - box.top + 2), 40);
  }
}
