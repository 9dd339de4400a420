import type { Capability } from '../../../../contract/generated/types.gen.ts';
import type { ServiceError } from '../../../api/errors.ts';
import type { InvitationAction } from './actions.ts';

const ADD_CAPABILITY: Capability = 'Manage Existing Users';

const removeFullStop = (sentence: string): string => sentence.replace(/\.$/, '');

/** Prefixes of messages by field. */
const FIELD_PREFIXES: Readonly<Record<string, string>> = {
  email: 'The address ',
  duration: 'The duration ',
  days: 'That ',
};

/**
 * Message for the refusal of a single request. A 403 when adding has two reasons (spec 5.6), distinguished by the user's
 * capabilities: a missing capability, or the site may not add.
 */
export function formatRefusal(
  action: InvitationAction | 'invite' | 'add',
  { status, message, fields }: ServiceError,
  capabilities: readonly Capability[],
): string {
  if (action === 'add' && status === 403 && !capabilities.includes(ADD_CAPABILITY))
    return `You do not have the capability ${ADD_CAPABILITY}; invite them, or ask someone who has it`;
  if (status === 404 && (action === 'invite' || action === 'add'))
    return 'Nobody on the platform has this address; create a user instead';
  if (status === 404) return 'This invitation no longer exists';
  if (status !== 400 || fields.length === 0) return removeFullStop(message);
  return [
    ...new Set(fields.map((one) => removeFullStop(`${FIELD_PREFIXES[one.path] ?? ''}${one.message}`))),
  ].join('; ');
}
