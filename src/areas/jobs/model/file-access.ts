import type { Job, Session } from '../../../../contract/generated/types.gen.ts';
import { getPermission } from '../../../api/session.ts';
import { JOB_KINDS } from './job-kinds.ts';

/** Returns why a session may not save the file of a job; undefined if it may. The service asks for the right to start the job. */
export function getSaveRefusal(
  session: Pick<Session, 'capabilities' | 'acting'> & { user: Pick<Session['user'], 'id'> },
  { kind, ownerId }: Pick<Job, 'kind' | 'ownerId'>,
): string | undefined {
  const { reason } = getPermission(session, JOB_KINDS[kind].startsFile ?? 'createJobFileLink');
  if (reason !== undefined) return reason;
  return ownerId === session.user.id ? undefined : 'Only who started the export can save its file';
}
