import { useRef } from 'react';
import { toServiceError } from '../../api/errors.ts';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { toast } from '../../ui/feedback/toast.ts';
import type { Field } from '../schema.ts';
import { wholeRows } from '../whole.ts';

interface Wanted {
  entry: RowVm;
  field: Field;
  /** What was typed to begin with. */
  seed: string | undefined;
}

export const sayUnread = (thrown: unknown): void =>
  toast({ title: 'The whole text was not read', description: toServiceError(thrown).message, tone: 'bad' });

/** Reads the text of a cell whole before it is opened; what is typed meanwhile begins it, and another cell takes over. */
export function useWholeCell() {
  const waiting = useRef<Wanted>(undefined);
  return ({ entry, field, seed }: Wanted, show: (row: RowVm, seed: string | undefined) => void) => {
    const before = waiting.current;
    if (before?.entry.EntryId === entry.EntryId && before.field.id === field.id) {
      before.seed = seed === undefined ? before.seed : `${before.seed ?? ''}${seed}`;
      return;
    }
    const mine: Wanted = { entry, field, seed };
    waiting.current = mine;
    void readAndShow(mine, show);
  };

  async function readAndShow(mine: Wanted, show: (row: RowVm, seed: string | undefined) => void) {
    const [whole] = await wholeRows([mine.entry], [mine.field]).catch((thrown: unknown) => {
      sayUnread(thrown);
      return [];
    });
    if (waiting.current !== mine) return;
    waiting.current = undefined;
    if (whole) show(whole, mine.seed);
  }
}
