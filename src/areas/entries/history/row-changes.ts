import type {
  PastDifference,
  FieldValue,
  PastState,
  RowVm,
} from '../../../../contract/generated/types.gen.ts';
import { describeState } from '../../../../contract/rules/schema/past-states.ts';

/** Converts a difference of the service to the form the grid displays. */
export const toRowChange = (difference: PastDifference): RowChange => ({
  ...describeState(difference),
  state: difference.state,
  currentValues: new Map(difference.fields?.map((name) => [name, { value: difference.today?.[name] }])),
});

/** How a past row differs from its current state. */
export interface RowChange {
  state: PastState;
  /** Short text for the badge. */
  label: string;
  description: string;
  /** Current values of the fields that differ, by API name. */
  currentValues: ReadonlyMap<string, { value: FieldValue | undefined }>;
}

/** Comparison of the rows of a grid as of a past time with today. */
export interface PastComparison {
  asOf: string;
  /** Returns the same object for the same row, so that memoized rows do not render again. */
  getChange: (row: RowVm) => RowChange | undefined;
}
