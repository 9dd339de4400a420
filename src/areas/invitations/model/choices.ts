import type { InviteeCheck } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { TEMPORARY } from '../../../../contract/rules/people/invitations.ts';
import { capitalize } from '../../../lib/text/sentences.ts';
import { NOT_AN_ADDRESS } from './addresses.ts';
import type { AddressEntry, RowTerms } from './addresses.ts';

/** What is sent for an address. */
export type Choice = 'invite' | 'add' | 'resend' | 'skip';

/** Terms for all addresses without their own. */
export interface MembershipSettings {
  type: number;
  /** Undefined while the input is not a number of days. */
  days: number | undefined;
  groups: readonly number[];
  /** Choice for people who can be added without confirmation. */
  addable: 'add' | 'invite';
}

/** Type, duration and groups of a membership. */
interface MembershipTerms {
  type: number;
  days: number | undefined;
  groups: readonly number[];
}

/** Groups by folded name; `reason` if the user may not grant them. */
type GroupLookup = ReadonlyMap<string, { id: number; reason: string | undefined }>;

/** Reasons why the user may not invite or add; undefined if allowed. */
export interface MissingCapabilities {
  invite: string | undefined;
  add: string | undefined;
}

/** `closed`: without the capability to invite, an unknown address cannot be used. */
export type InviteeOutcome = InviteeCheck['outcome'] | 'closed' | 'faulty' | 'checking' | 'unchecked';

interface ChoiceOption {
  choice: Choice;
  /** Reason why it is disabled. */
  reason: string | undefined;
}

/** Address with the result of its check, its options and the choice. */
export interface Invitee {
  /** Position in the text; addresses may repeat. */
  index: number;
  email: string;
  key: string;
  outcome: InviteeOutcome;
  message: string;
  userId: number | undefined;
  invitationId: number | undefined;
  terms: MembershipTerms;
  options: readonly ChoiceOption[];
  choice: Choice;
}

interface PlanInput {
  entries: readonly AddressEntry[];
  checks: ReadonlyMap<string, InviteeCheck>;
  /** Whether checking failed, so that the service decides when sending. */
  couldNotCheck: boolean;
  settings: MembershipSettings;
  choices: ReadonlyMap<string, Choice>;
  missingCapabilities: MissingCapabilities;
  groupLookup: GroupLookup;
}

const OUTCOMES_WITH_REASON: ReadonlySet<InviteeOutcome> = new Set(['invitable', 'closed']);
const REPEATED = 'Already listed above';
const PERMANENT_ONLY =
  'Added people become permanent members; a temporary membership starts with an invitation';
const UNCHECKED = 'Not checked; the service decides when sending';

/** Determines the choice for every address of the text. */
export function planInvitees(request: PlanInput): Invitee[] {
  const seen = new Set<string>();
  return request.entries.map((entry, at) => {
    const isRepeated = seen.has(entry.key);
    seen.add(entry.key);
    return planInvitee(at, isRepeated ? { ...entry, error: undefined } : entry, isRepeated, request);
  });
}

function planInvitee(at: number, entry: AddressEntry, isRepeated: boolean, request: PlanInput): Invitee {
  const { settings, choices, missingCapabilities, groupLookup } = request;
  const { email, key, rowTerms = {} } = entry;
  const { groups, groupError } = resolveGroups(rowTerms, settings, groupLookup);
  const terms = { type: rowTerms.type ?? settings.type, days: rowTerms.days ?? settings.days, groups };
  const found = isRepeated
    ? { outcome: 'repeated' as const, message: REPEATED }
    : getCheckResult(entry, groupError, request);
  const options = getOptions(found.outcome, terms, missingCapabilities, found.message);
  const chosen = choices.get(key);
  const isAvailable = options.some(({ choice, reason }) => choice === chosen && reason === undefined);
  const choice =
    chosen !== undefined && isAvailable ? chosen : getDefaultChoice(found.outcome, options, settings);
  return {
    index: at,
    email,
    key,
    userId: undefined,
    invitationId: undefined,
    ...found,
    terms,
    options,
    choice,
  };
}

function resolveGroups({ groups: names }: RowTerms, settings: MembershipSettings, groupLookup: GroupLookup) {
  const groups: number[] = [];
  if (!names) return { groups: settings.groups, groupError: undefined };
  for (const name of names) {
    const group = groupLookup.get(foldText(name));
    if (!group) return { groups, groupError: `There is no group “${name}”` };
    if (group.reason !== undefined) return { groups, groupError: `${name}: ${group.reason}` };
    groups.push(group.id);
  }
  return { groups, groupError: undefined };
}

type CheckResult = Pick<Invitee, 'outcome' | 'message'> & Partial<Pick<Invitee, 'userId' | 'invitationId'>>;

function getCheckResult(
  { key, error: own }: AddressEntry,
  groupError: string | undefined,
  { checks, couldNotCheck, missingCapabilities }: PlanInput,
): CheckResult {
  const error = own ?? groupError;
  if (error !== undefined)
    return { outcome: error === NOT_AN_ADDRESS ? 'not-an-address' : 'faulty', message: error };
  const check = checks.get(key);
  if (!check)
    return couldNotCheck
      ? { outcome: 'unchecked', message: UNCHECKED }
      : { outcome: 'checking', message: 'Checking' };
  const { userId, invitationId } = check;
  const outcome =
    check.outcome === 'unknown' && missingCapabilities.invite !== undefined ? 'closed' : check.outcome;
  const message = OUTCOMES_WITH_REASON.has(outcome) ? extractReason(check.message) : check.message;
  return { outcome, message, userId: userId ?? undefined, invitationId: invitationId ?? undefined };
}

/** Removes the first clause of the service's message, which the badge already shows. */
function extractReason(message: string): string {
  const reason = message.slice(message.indexOf(': ') + 1).trim();
  return capitalize(reason);
}

function getOptions(
  outcome: InviteeOutcome,
  { type }: MembershipTerms,
  missingCapabilities: MissingCapabilities,
  message: string,
): ChoiceOption[] {
  const skip: ChoiceOption = { choice: 'skip', reason: undefined };
  const invite: ChoiceOption = { choice: 'invite', reason: missingCapabilities.invite };
  if (outcome === 'invited') return [{ choice: 'resend', reason: missingCapabilities.invite }, skip];
  if (outcome === 'invitable') return [invite, { choice: 'add', reason: message }, skip];
  if (outcome === 'addable' || outcome === 'unchecked') {
    const temporary = type === TEMPORARY ? PERMANENT_ONLY : undefined;
    return [invite, { choice: 'add', reason: missingCapabilities.add ?? temporary }, skip];
  }
  return [skip];
}

function getDefaultChoice(
  outcome: InviteeOutcome,
  options: readonly ChoiceOption[],
  { addable }: MembershipSettings,
): Choice {
  const on = (choice: Choice) => options.some((one) => one.choice === choice && one.reason === undefined);
  if (outcome === 'addable' && addable === 'add' && on('add')) return 'add';
  if (on('invite')) return 'invite';
  return outcome === 'addable' && on('add') ? 'add' : 'skip';
}

/** Number of addresses by choice, without those still being checked. */
export function countChoices(invitees: readonly Invitee[]): Record<Choice, number> {
  const counts = { invite: 0, add: 0, resend: 0, skip: 0 };
  for (const { choice, outcome } of invitees) if (outcome !== 'checking') counts[choice] += 1;
  return counts;
}
