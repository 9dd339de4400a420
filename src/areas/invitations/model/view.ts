import { plain, readList, spoken, writeList, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import { fold } from '../../../lib/fold.ts';
import type { InvitationInfoResponse, InvitationStatus } from '../../../api/generated/types.gen.ts';
import { endsSoon } from './terms.ts';

export const STATUSES: readonly InvitationStatus[] = ['pending', 'accepted', 'expired', 'revoked'];

/** The list as its address says it. */
export interface InvitationsView {
  q: string;
  /** None chosen: all of them. */
  status: readonly string[];
  /** Only temporary members whose end is near, the nearest first. */
  soon: boolean;
  /** Undefined where the address leaves that to the room there is. */
  hidden: readonly string[] | undefined;
}

interface InvitationsSearch {
  q?: string | number;
  status?: string | number;
  soon?: boolean;
  hide?: string | number;
}

// Stands for an empty list where the default is not empty.
const NONE = 'none';

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readView = (search: Search): InvitationsView => ({
  q: written(search.q),
  status: readList(search.status, /^(pending|accepted|expired|revoked)$/),
  soon: search.soon === true,
  hidden: hiddenIn(search.hide),
});

const hiddenIn = (hide: unknown): readonly string[] | undefined => {
  const ids = readList(hide, /^(person|term|groups|status|invitedBy|sent|until)$/);
  return ids.length > 0 || hide === NONE ? ids : undefined;
};

/** Writes a view as an address, without what is so by default. */
export const writeView = ({ q, status, soon, hidden }: InvitationsView): InvitationsSearch =>
  spoken({
    q: q === '' ? undefined : plain(q),
    status: writeList(status),
    soon: soon || undefined,
    hide: hidden && (writeList(hidden) ?? NONE),
  });

/** Whether something is asked for that "Clear filters" would take away. */
export const isNarrowed = ({ q, status, soon }: InvitationsView): boolean =>
  q !== '' || status.length > 0 || soon;

type Names = ReadonlyMap<number, { name: string }>;

/** The invitations that a view asks for, and for each state how many it would show. */
export function findInvitations(
  all: readonly InvitationInfoResponse[],
  people: Names,
  { q, status, soon }: Pick<InvitationsView, 'q' | 'status' | 'soon'>,
  now = new Date(),
) {
  const wanted = fold(q.trim());
  const matching = all.filter(
    (one) => (!soon || endsSoon(one, now)) && (wanted === '' || textOf(one, people).includes(wanted)),
  );
  const counts: Record<string, number> = {};
  for (const one of matching) counts[one.status] = (counts[one.status] ?? 0) + 1;
  const rows = matching.filter((one) => status.length === 0 || status.includes(one.status));
  return { rows: soon ? rows.toSorted(byEnd) : rows, counts };
}

const textOf = ({ email, userId, invitedByName }: InvitationInfoResponse, people: Names): string =>
  fold([email, (userId ? people.get(userId)?.name : undefined) ?? '', invitedByName ?? ''].join('\n'));

const byEnd = (a: InvitationInfoResponse, b: InvitationInfoResponse): number =>
  (a.membershipExpiresDate ?? '').localeCompare(b.membershipExpiresDate ?? '');
