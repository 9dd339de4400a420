/** What the thread that owns PGlite and the thread that asks it say to each other. */
export interface WorkerSettings {
  folder: string;
  template: string | undefined;
}

export type Request =
  | { id: number; sql: string; parameters: (string | null)[] }
  | { id: number; close: true };

export interface RawReply {
  rows: (string | null)[][];
  fields: { name: string; dataTypeID: number }[];
  command: string;
  affected: number | undefined;
}

export interface RawError {
  message: string;
  code: string;
  constraint: string | undefined;
  table: string | undefined;
  column: string | undefined;
  detail: string | undefined;
}

export type Message = { ready: true } | { id: number; reply: RawReply } | { id: number; error: RawError };
