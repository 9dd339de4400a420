import { useEffect } from 'react';
import type { Field } from '../model/schema.ts';

// Of the site of this page: another one loads the page anew.
const known = new Map<number, Field>();

/** Keeps how fields are called, for what is staged in one that somebody deletes. */
export function useRememberFields(fields: readonly Field[]): void {
  useEffect(() => {
    for (const field of fields) known.set(field.id, field);
  }, [fields]);
}

/** A field as it was last, where it is gone by now; undefined where this page never knew it. */
export const lastKnown = (fieldId: number): Field | undefined => known.get(fieldId);
