import type { AgentCall } from '../../../../contract/generated/types.gen.ts';

interface FieldRead {
  fieldId: number;
  calls: number;
  firstDate: string;
  lastDate: string;
}

export interface AgentFieldsRead {
  keyId: number;
  keyName: string;
  userId: number;
  userName: string;
  calls: number;
  lastDate: string;
  isFlagged: boolean;
  /** Fields of the entry that the agent read, the last read first. */
  fields: readonly FieldRead[];
}

type ReadingCall = Pick<
  AgentCall,
  'date' | 'keyId' | 'keyName' | 'userId' | 'userName' | 'fieldIds' | 'flags' | 'outcome'
>;

/**
 * Lists the fields of one entry that each agent has read.
 * @param calls calls that read the entry, newest first
 */
export function collectFieldsRead(calls: readonly ReadingCall[], entryId: number): AgentFieldsRead[] {
  const byAgent = Map.groupBy(
    calls.filter(({ outcome }) => outcome === 'Ok'),
    ({ keyId }) => keyId,
  );
  return [...byAgent.values()].flatMap((ofAgent) => {
    const [last] = ofAgent;
    if (!last) return [];
    const { keyId, keyName, userId, userName, date } = last;
    return {
      keyId,
      keyName,
      userId,
      userName,
      calls: ofAgent.length,
      lastDate: date,
      isFlagged: ofAgent.some(({ flags }) => flags.some((flag) => flag.entryId === entryId)),
      fields: collectFields(ofAgent),
    };
  });
}

function collectFields(calls: readonly ReadingCall[]): FieldRead[] {
  const fields = new Map<number, FieldRead>();
  for (const { date, fieldIds } of calls)
    for (const fieldId of fieldIds) {
      const known = fields.get(fieldId);
      if (!known) fields.set(fieldId, { fieldId, calls: 1, firstDate: date, lastDate: date });
      else Object.assign(known, { calls: known.calls + 1, firstDate: date });
    }
  return [...fields.values()];
}
