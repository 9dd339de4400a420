import type { ServiceError } from '../../../api/errors.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { distance } from '../../../lib/ends.ts';
import type { Does } from './order.ts';

const TO_ADD: Capability = 'Manage Existing Users';

/** A sentence without its full stop: others may follow. */
const bare = (sentence: string): string => sentence.replace(/\.$/, '');

/**
 * Why something was refused, in words. The one 403 of adding has two reasons (spec 5.6): the caller lacks the
 * capability, or the site may not; what the caller holds tells them apart.
 */
export function refusalWords(does: Does, error: ServiceError, held: readonly Capability[]): string {
  const { status, message, fields } = error;
  if (does === 'add' && status === 403 && !held.includes(TO_ADD))
    return `You do not have the capability ${TO_ADD}; somebody who has it can add them, or they are invited`;
  if (status === 404 && (does === 'invite' || does === 'add'))
    return 'Nobody on the platform has this address; create a user instead';
  if (status === 404) return 'This invitation is no longer there';
  if (status !== 400 || fields.length === 0) return bare(message);
  return [...new Set(fields.map((one) => bare(`${NAMES[one.path] ?? ''}${one.message}`)))].join('; ');
}

/** Whose fault it is, where the service names it by its path. */
const NAMES: Readonly<Record<string, string>> = {
  email: 'The address ',
  duration: 'The duration ',
  days: 'That ',
};

/** What came too often and can be sent again only after a while. */
export const laterWords = ({ message }: ServiceError, seconds: number): string =>
  `${bare(message)}; possible again ${distance(new Date(Date.now() + seconds * 1000))}`;
