import { useEffect, useState, useSyncExternalStore } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { EntryRows } from '../model/row-windows.ts';
import type { Field } from '../model/schema.ts';

interface DeletedFieldsNoticeProps {
  fields: readonly Field[];
  rows: EntryRows | undefined;
  /** Error of loading the rows. */
  error: Error | undefined;
  onReloadSchema: () => Promise<unknown>;
}

const listFormat = new Intl.ListFormat('en');
const subscribeToNothing = () => () => undefined;

/** Whether the service refused a query because it names a deleted field (shapes 4). */
const isMissingFieldError = (message: string): boolean => message.startsWith('Field with');

/** Notice about fields deleted while the grid is open, which continues without their columns. */
export function DeletedFieldsNotice({ fields, rows, error, onReloadSchema }: DeletedFieldsNoticeProps) {
  const [previousFields, setPreviousFields] = useState(fields);
  const [deletedNames, setDeletedNames] = useState<readonly string[]>([]);
  if (fields !== previousFields) {
    const names = previousFields
      .filter(({ id }) => !fields.some((field) => field.id === id))
      .map(({ name }) => name);
    setPreviousFields(fields);
    if (names.length > 0) setDeletedNames([...deletedNames, ...names]);
  }
  // Windows loaded later may be the first to fail.
  const windowError = useSyncExternalStore(rows?.subscribe ?? subscribeToNothing, () => {
    const failure = rows?.getError();
    return failure === undefined ? '' : toServiceError(failure).message;
  });
  const message = error?.message ?? windowError;
  useEffect(() => {
    if (isMissingFieldError(message)) void onReloadSchema();
    // oxlint-disable-next-line react/exhaustive-deps -- reloads once per error
  }, [message]);
  if (deletedNames.length === 0) return null;
  return (
    <Banner
      title={`${listFormat.format(deletedNames)} ${deletedNames.length === 1 ? 'was' : 'were'} deleted from the schema`}
      actions={
        <Button size="small" onClick={() => setDeletedNames([])}>
          Dismiss
        </Button>
      }
    >
      The schema was changed while this page was open. The entries are displayed without{' '}
      {deletedNames.length === 1 ? 'this column' : 'these columns'}.
    </Banner>
  );
}
