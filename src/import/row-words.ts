import { HEADINGS } from './fields.ts';
import type { Fault, FieldChange } from './plan.ts';

/** A fault with the name of its column. */
export const faultWords = ({ field, message }: Fault): string =>
  field === undefined ? message : `${HEADINGS[field]}: ${message}`;

/** `Status: Active → Inactive`. */
export const changeWords = ({ field, before, after }: FieldChange): string =>
  `${HEADINGS[field]}: ${before === '' ? '' : `${before} → `}${after}`;
