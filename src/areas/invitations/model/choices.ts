import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import type { InviteeCheck } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import { NOT_AN_ADDRESS } from './entry.ts';
import type { Entry, OwnTerms } from './entry.ts';

/** What happens to an address when the list is sent. */
export type Choice = 'invite' | 'add' | 'resend' | 'skip';

/** What is so for every address that says nothing else. */
export interface Settings {
  type: number;
  /** Undefined while what is typed is no number of days. */
  days: number | undefined;
  groups: readonly number[];
  /** What becomes of those who may be added without their confirmation. */
  addable: 'add' | 'invite';
}

/** How long and in which groups somebody becomes a member. */
export interface Terms {
  type: number;
  days: number | undefined;
  groups: readonly number[];
}

/** The groups to choose from by their folded names; a reason where one may not give them. */
type GroupBook = ReadonlyMap<string, { id: number; reason: string | undefined }>;

/** Why the caller may not invite or add at all; undefined where they may. */
export interface May {
  invite: string | undefined;
  add: string | undefined;
}

/** `closed`: whoever may only add is not told who has an address that they could not add. */
export type Outcome = InviteeCheck['outcome'] | 'closed' | 'faulty' | 'checking' | 'unchecked';

interface Option {
  choice: Choice;
  /** Why it is off. */
  reason: string | undefined;
}

/** An address with what is known of it, what may be done with it, and what will be. */
export interface Invitee {
  /** Its place in the text: two may have the same address. */
  at: number;
  email: string;
  key: string;
  outcome: Outcome;
  message: string;
  userId: number | undefined;
  invitationId: number | undefined;
  terms: Terms;
  options: readonly Option[];
  choice: Choice;
}

interface Question {
  entries: readonly Entry[];
  checks: ReadonlyMap<string, InviteeCheck>;
  /** True where the service could not be asked: it decides when the list is sent. */
  unanswered: boolean;
  settings: Settings;
  chosen: ReadonlyMap<string, Choice>;
  may: May;
  book: GroupBook;
}

const WITH_REASON: ReadonlySet<Outcome> = new Set(['invitable', 'closed']);
const REPEATED = 'Stands further up already';
const FOR_GOOD = 'Who is added is a member for good; a temporary membership begins with an invitation';
const UNCHECKED = 'Not checked; the service decides when it is sent';

/** Every address of the text, each with what will happen to it. */
export function planInvitees(question: Question): Invitee[] {
  const seen = new Set<string>();
  return question.entries.map((entry, at) => {
    const again = seen.has(entry.key);
    seen.add(entry.key);
    return invitee(at, again ? { ...entry, fault: undefined } : entry, again, question);
  });
}

function invitee(at: number, entry: Entry, again: boolean, question: Question): Invitee {
  const { settings, chosen, may, book } = question;
  const { email, key, own = {} } = entry;
  const { groups, fault } = groupsOf(own, settings, book);
  const terms = { type: own.type ?? settings.type, days: own.days ?? settings.days, groups };
  const found = again ? { outcome: 'repeated' as const, message: REPEATED } : foundOf(entry, fault, question);
  const options = optionsFor(found.outcome, terms, may, found.message);
  const wished = chosen.get(key);
  const wishable = options.some(({ choice, reason }) => choice === wished && reason === undefined);
  const choice = wished !== undefined && wishable ? wished : defaultFor(found.outcome, options, settings);
  return { at, email, key, userId: undefined, invitationId: undefined, ...found, terms, options, choice };
}

function groupsOf({ groups: names }: OwnTerms, settings: Settings, book: GroupBook) {
  const groups: number[] = [];
  if (!names) return { groups: settings.groups, fault: undefined };
  for (const name of names) {
    const known = book.get(fold(name));
    if (!known) return { groups, fault: `No group is called “${name}”` };
    if (known.reason !== undefined) return { groups, fault: `${name}: ${known.reason}` };
    groups.push(known.id);
  }
  return { groups, fault: undefined };
}

type Found = Pick<Invitee, 'outcome' | 'message'> & Partial<Pick<Invitee, 'userId' | 'invitationId'>>;

function foundOf(
  { key, fault: own }: Entry,
  ofGroups: string | undefined,
  { checks, unanswered, may }: Question,
): Found {
  const fault = own ?? ofGroups;
  if (fault !== undefined)
    return { outcome: fault === NOT_AN_ADDRESS ? 'not-an-address' : 'faulty', message: fault };
  const check = checks.get(key);
  if (!check)
    return unanswered
      ? { outcome: 'unchecked', message: UNCHECKED }
      : { outcome: 'checking', message: 'Being checked' };
  const { userId, invitationId } = check;
  const outcome = check.outcome === 'unknown' && may.invite !== undefined ? 'closed' : check.outcome;
  const message = WITH_REASON.has(outcome) ? reasonIn(check.message) : check.message;
  return { outcome, message, userId: userId ?? undefined, invitationId: invitationId ?? undefined };
}

/** The service says first what can be done, which stands beside it anyway, and then why no more. */
function reasonIn(message: string): string {
  const reason = message.slice(message.indexOf(': ') + 1).trim();
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

function optionsFor(outcome: Outcome, { type }: Terms, may: May, message: string): Option[] {
  const skip: Option = { choice: 'skip', reason: undefined };
  const invite: Option = { choice: 'invite', reason: may.invite };
  if (outcome === 'invited') return [{ choice: 'resend', reason: may.invite }, skip];
  if (outcome === 'invitable') return [invite, { choice: 'add', reason: message }, skip];
  if (outcome === 'addable' || outcome === 'unchecked') {
    const temporary = type === TEMPORARY ? FOR_GOOD : undefined;
    return [invite, { choice: 'add', reason: may.add ?? temporary }, skip];
  }
  return [skip];
}

function defaultFor(outcome: Outcome, options: readonly Option[], { addable }: Settings): Choice {
  const on = (choice: Choice) => options.some((one) => one.choice === choice && one.reason === undefined);
  if (outcome === 'addable' && addable === 'add' && on('add')) return 'add';
  if (on('invite')) return 'invite';
  return outcome === 'addable' && on('add') ? 'add' : 'skip';
}

/** How many there are of each choice; of those being checked nothing is chosen yet. */
export function countChoices(invitees: readonly Invitee[]): Record<Choice, number> {
  const counts = { invite: 0, add: 0, resend: 0, skip: 0 };
  for (const { choice, outcome } of invitees) if (outcome !== 'checking') counts[choice] += 1;
  return counts;
}
