/** What the thread that owns PGlite and the thread that asks it say to each other. */
export type Request =
  | { id: number; sql: string; parameters: (string | null)[] }
  | { id: number; close: true };

export interface RawReply {
  rows: (string | null)[][];
  fields: { name: string; dataTypeID: number }[];
  command: string;
  affected: number;
}

/** A DbError's parts: an Error would lose its own properties on the way between threads. */
interface RawError {
  message: string;
  code: string;
  constraint: string | undefined;
  table: string | undefined;
  column: string | undefined;
  detail: string | undefined;
}

export type Answer = { id: number; reply: RawReply } | { id: number; error: RawError };

export type Message = { ready: true } | Answer;
