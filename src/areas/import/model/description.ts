import type { FieldLabels } from '../../../files/import-plan/plan.ts';

/** Describes what is imported, for display. */
export interface ImportDescription {
  /** Singular and plural: "person", "people". */
  nouns: readonly [one: string, many: string];
  labels: FieldLabels;
  /** Label of the text below a name, if there is one. */
  detailLabel?: string;
}
