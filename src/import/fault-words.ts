import { HEADINGS } from './fields.ts';
import type { Fault } from './plan.ts';

/** A fault with the name of its column. */
export const faultWords = ({ field, message }: Fault): string =>
  field === undefined ? message : `${HEADINGS[field]}: ${message}`;
