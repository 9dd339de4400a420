import { useState } from 'react';
import type { WriteOperation } from './effects.ts';
import { ServiceError } from './errors.ts';
import { tagged } from './tagged.ts';
import type { Tagged } from './tagged.ts';
import { useWrite } from './write.ts';

/** Options of a call that is only taken while nothing else has changed; none where the service gave no tag. */
interface Match {
  headers?: { 'If-Match': string };
}
type Answer<Data> = Promise<{ data: Data; response: Response }>;

interface Stored<Data, Values> {
  /** As it was when editing began: a newer reading must not move the entity tag under the typing. */
  start: Tagged<Data>;
  operation: WriteOperation;
  /** Sends `{ body, ...match }`. */
  write: (values: Values, match: Match) => Answer<Data>;
  /** Reads it anew where somebody else was quicker. */
  read: () => Answer<Data>;
}

/**
 * One thing that a form changes whole. Where somebody else was quicker nothing is stored: `base` is then theirs,
 * `wasStale` says so, and storing again puts the form's values in its place.
 */
export function useStored<Data, Values>({ start, operation, write, read }: Stored<Data, Values>) {
  const [base, setBase] = useState(start);
  const [wasStale, setWasStale] = useState(false);
  const { etag } = base;
  const save = useWrite(operation, {
    mutationFn: (values: Values) =>
      write(values, etag === undefined ? {} : { headers: { 'If-Match': etag } }),
  });
  /** What was stored; undefined where it was not, and the page says why. */
  const store = async (values: Values): Promise<Data | undefined> => {
    try {
      const stored = tagged(await save.mutateAsync(values));
      setBase(stored);
      setWasStale(false);
      return stored.data;
    } catch (thrown) {
      if (!(thrown instanceof ServiceError) || thrown.status !== 412) return undefined;
      setBase(tagged(await read()));
      setWasStale(true);
      return undefined;
    }
  };
  return { base: base.data, wasStale, error: wasStale ? undefined : save.error, store };
}
