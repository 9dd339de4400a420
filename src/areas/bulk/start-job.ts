import type {
  Job,
  LicenseChanges,
  MembershipChanges,
  UserRemovals,
  UserUpdates,
} from '../../../contract/generated/types.gen.ts';
import {
  startLicenseChanges,
  startMembershipChanges,
  startUserRemovals,
  startUserUpdates,
} from '../../api/generated/sdk/jobs.gen.ts';
import { fitsIntoRequest, startInParts } from '../../app/jobs/upload-items.ts';
import type { StartOptions, UploadItem } from '../../app/jobs/upload-items.ts';
import type { BulkAction } from './bulk-request.ts';
import { getGroupDifference } from './person.ts';
import type { PersonChange } from './person.ts';

/** Body with all items of the job. */
type WithItems<Body, Items extends keyof Body> = Omit<Body, Items> & {
  [Key in Items]-?: NonNullable<Body[Key]>;
};

/** Operation that starts the job of an action, with its body. */
export type JobRequest =
  | { operation: 'startUserUpdates'; body: WithItems<UserUpdates, 'userIds'> }
  | { operation: 'startUserRemovals'; body: WithItems<UserRemovals, 'userIds'> }
  | { operation: 'startLicenseChanges'; body: WithItems<LicenseChanges, 'licenses'> }
  | { operation: 'startMembershipChanges'; body: WithItems<MembershipChanges, 'memberships'> };

/** The same with the items or, instead of them, `uploadsItems`. */
type SentRequest =
  | { operation: 'startUserUpdates'; body: UserUpdates }
  | { operation: 'startUserRemovals'; body: UserRemovals }
  | { operation: 'startLicenseChanges'; body: LicenseChanges }
  | { operation: 'startMembershipChanges'; body: MembershipChanges };

/**
 * Request for the job that makes the reviewed changes. The signed-in user comes last: the job runs with rights that this
 * change may end. A job that starts later changes everyone, also who is changed until then: somebody who leaves on a date
 * is not skipped because of a new license.
 */
export function buildJobRequest(
  action: BulkAction,
  reviewedChanges: readonly PersonChange[],
  ownUserId: number,
  options: StartOptions = {},
): JobRequest {
  const changes = reviewedChanges.toSorted(
    (one, other) => Number(one.person.id === ownUserId) - Number(other.person.id === ownUserId),
  );
  const userIds = changes.map(({ person }) => person.id);
  const isLater = options.notBefore !== undefined || options.afterJobId !== undefined;
  const common = isLater ? options : { reviewedAt: getReviewTime(changes) };
  const buildUserUpdates = (properties: Omit<UserUpdates, 'userIds'>): JobRequest => ({
    operation: 'startUserUpdates',
    body: { userIds, ...properties, ...common },
  });
  const buildMembershipChanges = (
    getGroups: (change: PersonChange) => { added: readonly number[]; removed: readonly number[] },
  ): JobRequest => ({
    operation: 'startMembershipChanges',
    body: {
      memberships: changes.map((change) => {
        const { added, removed } = getGroups(change);
        return { userId: change.person.id, add: [...added], remove: [...removed] };
      }),
      ...common,
    },
  });
  switch (action.kind) {
    case 'activate':
    case 'deactivate':
      return buildUserUpdates({ isActive: action.kind === 'activate' });
    case 'twoFactorOn':
      return buildUserUpdates({ twoFactorEnabled: true });
    case 'addressesOn':
      return buildUserUpdates({ ipRestrictionsEnabled: true });
    case 'timeZone':
      return buildUserUpdates({ timeZone: action.timeZone });
    case 'license':
    case 'licenses':
      return {
        operation: 'startLicenseChanges',
        body: {
          licenses: changes.flatMap(({ person, after }) =>
            after?.licenseTypeId === undefined
              ? []
              : [{ userId: person.id, licenseTypeId: after.licenseTypeId }],
          ),
          ...common,
        },
      };
    // The same groups for all, so that the service can name them in the title; it leaves out those a user is in.
    case 'addGroups':
      return buildMembershipChanges(() => ({ added: action.groupIds, removed: [] }));
    case 'removeGroups':
      return buildMembershipChanges(() => ({ added: [], removed: action.groupIds }));
    case 'remove':
      return { operation: 'startUserRemovals', body: { userIds, ...common } };
    case 'pairs':
    default:
      return buildMembershipChanges(getGroupDifference);
  }
}

/**
 * When the people were last changed before the review, by the clock of the service: the job leaves alone who was changed
 * later. Changes that the dry run named and the user accepted are not later.
 */
const getReviewTime = (changes: readonly PersonChange[]): string =>
  changes.reduce((latest, { person }) => (person.modified > latest ? person.modified : latest), '');

interface StartBulkOptions {
  start: StartOptions;
  /** Share of a large job that has been sent, 0 to 1. */
  onProgress: (share: number) => void;
}

/** Starts the job that makes the reviewed changes; its items are sent in parts if one request cannot have them. @throws ServiceError */
export async function startBulkJob(
  action: BulkAction,
  changes: readonly PersonChange[],
  ownUserId: number,
  { start, onProgress }: StartBulkOptions,
): Promise<Job> {
  const request = buildJobRequest(action, changes, ownUserId, start);
  if (fitsIntoRequest(request.body, changes.length)) return sendJobRequest(request);
  const { items, emptied } = separateItems(request);
  return startInParts(() => sendJobRequest(emptied), items, onProgress);
}

/** A request without its items, which follow in parts, and these items. */
function separateItems(request: JobRequest): { items: readonly UploadItem[]; emptied: SentRequest } {
  switch (request.operation) {
    case 'startLicenseChanges': {
      const { licenses, ...body } = request.body;
      return { items: licenses, emptied: { ...request, body: { ...body, uploadsItems: true } } };
    }
    case 'startMembershipChanges': {
      const { memberships, ...body } = request.body;
      return { items: memberships, emptied: { ...request, body: { ...body, uploadsItems: true } } };
    }
    case 'startUserRemovals':
    case 'startUserUpdates':
    default: {
      const { userIds, ...body } = request.body;
      return {
        items: userIds.map((userId) => ({ userId })),
        emptied: { ...request, body: { ...body, uploadsItems: true } },
      };
    }
  }
}

async function sendJobRequest(request: SentRequest): Promise<Job> {
  switch (request.operation) {
    case 'startUserRemovals':
      return (await startUserRemovals({ body: request.body })).data;
    case 'startLicenseChanges':
      return (await startLicenseChanges({ body: request.body })).data;
    case 'startMembershipChanges':
      return (await startMembershipChanges({ body: request.body })).data;
    case 'startUserUpdates':
    default:
      return (await startUserUpdates({ body: request.body })).data;
  }
}
