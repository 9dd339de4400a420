import { isFileField } from '../../../contract/rules/fields.ts';
import type { EntryTypeVm, RowVm } from '../../api/generated/types.gen.ts';
import { counted } from '../../lib/numbers.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { stageCells } from '../editing/store.ts';
import type { Field } from '../schema.ts';
import { valueIn } from '../values.ts';
import { differencesOf } from './differences.ts';

interface Target {
  type: EntryTypeVm;
  entry: { id: number; name: string; row: RowVm };
}

/** Why the value of a field cannot be brought back by writing it; undefined where it can. */
export function whyNotRestored(field: Field): string | undefined {
  if (field.isCalculated) return 'A calculated field follows from the others';
  if (isFileField(field.fieldType)) return 'Files are brought back by uploading them again';
  return field.isStoreRequestSupported ? undefined : 'The service numbers this field itself';
}

/** Stages the values of a moment where they differ from today's: they are reviewed and sent like any other change. */
export function stageRestored({ type, entry }: Target, row: RowVm, fields: readonly Field[]): void {
  const writable = fields.filter((field) => whyNotRestored(field) === undefined);
  const cells = differencesOf(entry.row, row, writable).map(({ field }) => ({
    entryId: entry.id,
    fieldId: field.id,
    entryName: entry.name,
    before: valueIn(entry.row, field),
    value: valueIn(row, field),
  }));
  if (cells.length === 0) {
    toast({ title: 'Nothing to restore', description: 'These values are the same today.' });
    return;
  }
  stageCells(type.id, cells, `Restore ${counted(cells.length, 'value', 'values')} of ${entry.name}`);
  toast({
    title: `${counted(cells.length, 'value is', 'values are')} staged`,
    description: 'Nothing is saved before you have reviewed it.',
  });
}
