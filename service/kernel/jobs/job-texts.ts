/** Texts about jobs whose length users decide. They are cut between characters, because half of one cannot be stored. */
import { cutText } from '../../../contract/rules/cut-text.ts';

/** Longest title; the filter in words may be long. */
const MAX_TITLE_LENGTH = 200;
const MAX_QUERY_LENGTH = 2_000;

/** The title of a job; a longer one ends with an ellipsis. */
export const shortenTitle = (title: string): string =>
  title.length > MAX_TITLE_LENGTH ? `${cutText(title, MAX_TITLE_LENGTH - 1)}…` : title;

/** A query as the record of an export has it. */
export const formatQueryDetail = (query: object | string): string =>
  cutText(JSON.stringify(query), MAX_QUERY_LENGTH);
