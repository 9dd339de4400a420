import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { toCsv } from '../../../files/csv.ts';
import type { Does, Order } from './order.ts';
import type { Result } from './perform.ts';

const HEAD = ['E-mail', 'Sent', 'Type', 'Days', 'Result', 'In words', 'Request id'];

export const DOES: Record<Does, string> = {
  invite: 'Invite',
  add: 'Add without confirmation',
  resend: 'Send again',
  revoke: 'Revoke',
  extend: 'Extend',
};

/** What came of each address, as a sheet. */
export function reportOf(orders: readonly Order[], results: ReadonlyMap<Order, Result>): string {
  const rows = orders.map((order) => {
    const { result, words = '', requestId = '' } = results.get(order) ?? {};
    const said = result === undefined ? 'Not yet' : { done: 'Done', failed: 'Failed' }[result];
    return [order.email, DOES[order.does], ...termsOf(order), said, words, requestId];
  });
  return toCsv([HEAD, ...rows]);
}

function termsOf(order: Order): [type: string, days: number | string] {
  if (order.does === 'extend') return ['', order.days];
  if (order.does !== 'invite') return ['', ''];
  const { type, days } = order.terms;
  return type === TEMPORARY ? ['Temporary', days ?? ''] : ['Permanent', ''];
}
