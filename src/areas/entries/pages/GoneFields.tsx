import { useEffect, useState, useSyncExternalStore } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryRows } from '../model/rows.ts';
import type { Field } from '../model/schema.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';

interface GoneFieldsProps {
  fields: readonly Field[];
  rows: EntryRows | undefined;
  /** Why the rows could not be read. */
  error: Error | undefined;
  /** Reads the schema anew. */
  onReread: () => Promise<unknown>;
}

const list = new Intl.ListFormat('en');
const never = () => () => undefined;

/** As the service refuses a question after a field that is gone (shapes 4). */
const isAboutField = (message: string): boolean => message.startsWith('Field with');

/** Tells which fields went away while the grid was open; it goes on without their columns. */
export function GoneFields({ fields, rows, error, onReread }: GoneFieldsProps) {
  const [seen, setSeen] = useState(fields);
  const [gone, setGone] = useState<readonly string[]>([]);
  if (fields !== seen) {
    const lost = seen.filter(({ id }) => !fields.some((one) => one.id === id)).map(({ name }) => name);
    setSeen(fields);
    if (lost.length > 0) setGone([...gone, ...lost]);
  }
  // Rows further down are read without the question changing: they may be the first to be refused.
  const below = useSyncExternalStore(rows?.subscribe ?? never, () => {
    const failure = rows?.failure();
    return failure === undefined ? '' : toServiceError(failure).message;
  });
  const refusal = error?.message ?? below;
  // What the service has told is not known here yet; reading it is work outside of React.
  useEffect(() => {
    if (isAboutField(refusal)) void onReread();
    // Once for each refusal.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [refusal]);
  if (gone.length === 0) return null;
  return (
    <Banner
      title={`${list.format(gone)} ${gone.length === 1 ? 'was' : 'were'} deleted from the schema`}
      actions={
        <Button size="small" onClick={() => setGone([])}>
          Dismiss
        </Button>
      }
    >
      Somebody changed the schema while this page was open. The entries are shown without{' '}
      {gone.length === 1 ? 'its column' : 'their columns'}.
    </Banner>
  );
}
