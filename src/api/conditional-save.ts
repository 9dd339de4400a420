import { useState } from 'react';
import { ServiceError } from './errors.ts';
import { withEtag } from './etag.ts';
import type { WithEtag } from './etag.ts';
import type { WriteOperation } from './invalidation.ts';
import { useWrite } from './write.ts';

/** Request options that make a change conditional; empty where the service returned no entity tag. */
interface IfMatch {
  headers?: { 'If-Match': string };
}
type ApiResponse<Data> = Promise<{ data: Data; response: Response }>;

interface ConditionalSaveOptions<Data, Values> {
  /** State at the start of editing; a later reading must not replace the entity tag during editing. */
  initial: WithEtag<Data>;
  operation: WriteOperation;
  /** Sends `{ body, ...match }`. */
  write: (values: Values, match: IfMatch) => ApiResponse<Data>;
  /** Reads the current state after a conflict. */
  read: () => ApiResponse<Data>;
}

/**
 * Saves a resource with `If-Match`. After a conflict (412) nothing is stored: `base` is the other user's version,
 * `hasConflict` is true, and saving again overwrites it with the values of the form.
 */
export function useConditionalSave<Data, Values>({
  initial,
  operation,
  write,
  read,
}: ConditionalSaveOptions<Data, Values>) {
  const [base, setBase] = useState(initial);
  const [hasConflict, setHasConflict] = useState(false);
  const { etag } = base;
  const mutation = useWrite(operation, {
    mutationFn: (values: Values) =>
      write(values, etag === undefined ? {} : { headers: { 'If-Match': etag } }),
  });
  /** Returns the stored data; undefined if saving failed, with the reason in `error` or `hasConflict`. */
  const save = async (values: Values): Promise<Data | undefined> => {
    try {
      const saved = withEtag(await mutation.mutateAsync(values));
      setBase(saved);
      setHasConflict(false);
      return saved.data;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 412) return undefined;
      // The refusal is shown, and saving again reads again.
      const current = await read().catch(() => undefined);
      if (!current) return undefined;
      setBase(withEtag(current));
      setHasConflict(true);
      return undefined;
    }
  };
  return { base: base.data, hasConflict, error: hasConflict ? undefined : mutation.error, save };
}
