import { getField } from '../../api/generated/sdk.gen.ts';
import { tagged } from '../../api/tagged.ts';
import { isKnown } from '../entries/model/schema.ts';

/** Reads a field afresh with its entity tag: an edit is of what was there when it began. */
export async function readField(fieldId: number, signal?: AbortSignal) {
  const { data, etag } = tagged(await getField({ path: { fieldId }, ...(signal && { signal }) }));
  if (!isKnown(data)) throw new TypeError(`The type of ${data.apiName} is not known here`);
  return { field: data, etag };
}
