/** Ids and other values that requests name. */
import { UNKNOWN_ID } from '../authorization.ts';
import type { Slot } from './schema-values.ts';

/** Text in all data of the other site; no response to anybody of the site may contain it. */
export const FOREIGN_MARKER = 'zebra-of-the-other-site';

/** Values that later requests use: those of the set-up, and the latest that responses contained. */
export class ValuePool {
  readonly #lasting = new Map<string, unknown[]>();
  readonly #recent = new Map<string, unknown[]>();

  keep(kind: string, ...values: readonly unknown[]): void {
    this.#lasting.set(kind, [...(this.#lasting.get(kind) ?? []), ...values]);
  }
  /** Replaces the lasting values of a kind. */
  set(kind: string, ...values: readonly unknown[]): void {
    this.#lasting.set(kind, [...values]);
  }
  /** Adds a value of a response; the oldest of 24 is dropped. Nobody invites people of the other site, who would belong to both. */
  add(kind: string, value: unknown): void {
    if (String(value).includes(FOREIGN_MARKER)) return;
    const values = this.#recent.get(kind) ?? [];
    if (values.includes(value) || (this.#lasting.get(kind) ?? []).includes(value)) return;
    values.push(value);
    if (values.length > 24) values.shift();
    this.#recent.set(kind, values);
  }
  /** The lasting values of a kind. */
  list(kind: string): readonly unknown[] {
    return this.#lasting.get(kind) ?? [];
  }
  /** `onlyRecent`: for operations that delete what they name. The newest values come first: older ones may be deleted. */
  pick({ kind, at }: Slot, onlyRecent = false): unknown {
    const recent = (this.#recent.get(kind) ?? []).toReversed();
    const lasting = onlyRecent ? [] : (this.#lasting.get(kind) ?? []);
    const values = recent.length === 0 || (lasting.length > 0 && at % 2 === 0) ? lasting : recent;
    const index = Math.floor(at / 2);
    return values.length === 0 ? UNKNOWN_ID : values[(at % 3 > 0 ? index % 4 : index) % values.length];
  }
}
