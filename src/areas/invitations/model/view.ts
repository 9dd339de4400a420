import type { InvitationInfoResponse, InvitationStatus } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import {
  toSearchValue,
  parseList,
  omitUndefined,
  formatList,
  readSearchText,
} from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';
import { endsSoon } from './terms.ts';

export const STATUSES: readonly InvitationStatus[] = ['pending', 'accepted', 'expired', 'revoked'];

/** State of the invitations list, kept in the URL. */
export interface InvitationsView {
  q: string;
  /** Empty for all. */
  status: readonly string[];
  /** Only temporary memberships that end soon, nearest first. */
  endingSoon: boolean;
  /** Undefined: depends on the width of the window. */
  hidden: readonly string[] | undefined;
}

export interface InvitationsSearch {
  q?: string | number;
  status?: string | number;
  soon?: boolean;
  hide?: string | number;
}

// Stands for an empty list where the default is not empty.
const NO_COLUMN = 'none';

/** Parses the search parameters; invalid values fall back to the default. */
export const parseInvitationsView = (search: Search): InvitationsView => ({
  q: readSearchText(search.q),
  status: parseList(search.status, /^(pending|accepted|expired|revoked)$/),
  endingSoon: search.soon === true,
  hidden: parseHidden(search.hide),
});

const parseHidden = (hide: unknown): readonly string[] | undefined => {
  const ids = parseList(hide, /^(person|term|groups|status|invitedBy|sent|until)$/);
  return ids.length > 0 || hide === NO_COLUMN ? ids : undefined;
};

/** Search parameters of a view; defaults are left out. */
export const serializeInvitationsView = ({
  q,
  status,
  endingSoon,
  hidden,
}: InvitationsView): InvitationsSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    status: formatList(status),
    soon: endingSoon || undefined,
    hide: hidden && (formatList(hidden) ?? NO_COLUMN),
  });

/** Whether "Clear filters" would change the view. */
export const isFiltered = ({ q, status, endingSoon }: InvitationsView): boolean =>
  q !== '' || status.length > 0 || endingSoon;

type Names = ReadonlyMap<number, { name: string }>;

/** Invitations of a view, and their number by state. */
export function findInvitations(
  all: readonly InvitationInfoResponse[],
  people: Names,
  { q, status, endingSoon }: Pick<InvitationsView, 'q' | 'status' | 'endingSoon'>,
  now = new Date(),
) {
  const searchText = foldText(q.trim());
  const matching = all.filter(
    (one) =>
      (!endingSoon || endsSoon(one, now)) &&
      (searchText === '' || toSearchText(one, people).includes(searchText)),
  );
  const counts: Record<string, number> = {};
  for (const one of matching) counts[one.status] = (counts[one.status] ?? 0) + 1;
  const rows = matching.filter((one) => status.length === 0 || status.includes(one.status));
  return { rows: endingSoon ? rows.toSorted(compareByEnd) : rows, counts };
}

const toSearchText = ({ email, userId, invitedByName }: InvitationInfoResponse, people: Names): string =>
  foldText([email, (userId ? people.get(userId)?.name : undefined) ?? '', invitedByName ?? ''].join('\n'));

const compareByEnd = (a: InvitationInfoResponse, b: InvitationInfoResponse): number =>
  (a.membershipExpiresDate ?? '').localeCompare(b.membershipExpiresDate ?? '');
