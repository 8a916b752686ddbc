// The interface of the server: /api/..., JSON in, JSON out.

/** An answer of the server that is no success; 0 where it did not answer at all. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }

  /** Whether the same may work later. */
  get passing() {
    return this.status === 0 || this.status === 401 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const PATIENCE = 20000; // milliseconds

export async function get(path) {
  return called(path, { method: "GET" });
}

export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return called(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function called(path, options) {
  let reply;
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    reply = await fetch("/api/" + path, { ...options, credentials: "same-origin", signal });
  } catch {
    throw new Refused(0, "");
  }
  let found = null;
  try {
    found = await reply.json();
  } catch {
    if (reply.ok && reply.status !== 204) throw new Refused(0, "");
  }
  if (!reply.ok) throw new Refused(reply.status, found?.detail ?? "");
  return found;
}
