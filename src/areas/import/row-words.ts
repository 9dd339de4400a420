import type { Fault, FieldChange, Labels } from './plan.ts';

const called = (field: string, labels: Labels): string => labels[field] ?? field;

/** A fault with the name of its column. */
export const faultWords = ({ field, message }: Fault, labels: Labels): string =>
  field === undefined ? message : `${called(field, labels)}: ${message}`;

/** `Status: Active → Inactive`. */
export const changeWords = ({ field, before, after }: FieldChange, labels: Labels): string =>
  `${called(field, labels)}: ${before === '' ? '' : `${before} → `}${after}`;
