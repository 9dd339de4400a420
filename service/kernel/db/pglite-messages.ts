/** What the thread that owns PGlite and the thread that asks it say to each other; bytes are handed over, not copied. */
export type Request = { id: number; statement: Uint8Array<ArrayBuffer> } | { id: number; close: true };

/** The bytes of the answer, whatever the database says in them; or why there is none. */
export type Answer = { id: number; reply: Uint8Array<ArrayBuffer> } | { id: number; failure: string };

export type Message = { ready: true } | Answer;

/** Copied together, into memory of their own: that can be handed over. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
