import { fold } from '../lib/fold.ts';

/** What a cell says, or why it says nothing. */
export type Read<Value> = { value: Value } | { fault: string };

export const ON = new Set(['yes', 'y', 'true', '1', 'on', 'x', 'ja', 'oui', 'si', 'enabled', 'required']);
export const OFF = new Set(['no', 'n', 'false', '0', 'off', 'nein', 'non', 'disabled']);

const MOST_SHOWN = 40;
/** A text of the file within a sentence. */
export const quoted = (text: string): string =>
  `“${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}”`;

/** A switch: yes or no. */
export function readSwitch(text: string): Read<boolean> {
  const word = fold(text.trim());
  if (ON.has(word)) return { value: true };
  return OFF.has(word) ? { value: false } : { fault: `${quoted(text)} is neither yes nor no` };
}
