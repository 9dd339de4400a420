import type {
  ImportPrecondition,
  RelationshipSettingsInfo,
} from '../../../../contract/generated/types.gen.ts';
import type { ItemKind } from '../formats/items.ts';

type PreconditionId = ImportPrecondition['id'];

/** How an unmet precondition is fixed. */
export type Remedy =
  /** A setting that those with Manage Settings change here. */
  | { change: RelationshipSettingsInfo; action: string }
  | { page: 'users' | 'groups' | 'contacts'; action: string };

interface PreconditionView {
  /** Sentence for the state in which it is not met. */
  unmet: string;
  remedy: Remedy;
  /** Kinds of items that need it; none for one that imports do not need. */
  neededBy: readonly ItemKind[];
}

const BOTH = ['emails', 'meetings'] as const;

export const PRECONDITIONS: Readonly<Record<PreconditionId, PreconditionView>> = {
  apiEndpointConnection: {
    unmet: 'Connection type is not API Endpoint',
    remedy: { change: { connectionType: 'API Endpoint' }, action: 'Select' },
    neededBy: BOTH,
  },
  relationshipIntelligence: {
    unmet: 'Relationship Intelligence is off',
    remedy: { change: { isEnabled: true }, action: 'Turn on' },
    neededBy: BOTH,
  },
  accessWebService: {
    unmet: 'You do not have Access Web Service',
    remedy: { page: 'groups', action: 'Groups' },
    neededBy: BOTH,
  },
  accessRelationshipIntelligence: {
    unmet: 'You do not have Access 4. Relationship Intelligence',
    remedy: { page: 'groups', action: 'Groups' },
    neededBy: BOTH,
  },
  enabledUsers: {
    unmet: 'No user is enabled',
    remedy: { page: 'users', action: 'Enable users' },
    neededBy: BOTH,
  },
  emailRelationships: {
    unmet: 'Email Relationships is off',
    remedy: { change: { emailRelationships: true }, action: 'Turn on' },
    neededBy: ['emails'],
  },
  meetingRelationships: {
    unmet: 'Meeting Relationships is off',
    remedy: { change: { meetingRelationships: true }, action: 'Turn on' },
    neededBy: ['meetings'],
  },
  collectRelationshipData: {
    unmet: 'Collect Relationship Data is off',
    remedy: { change: { collectRelationshipData: true }, action: 'Turn on' },
    neededBy: BOTH,
  },
  automatedContactCreation: {
    unmet: 'Contacts are not created',
    remedy: { page: 'contacts', action: 'Settings' },
    neededBy: [],
  },
};

/** Preconditions that keep items of these kinds from being imported. */
export const findBlocking = (
  preconditions: readonly ImportPrecondition[],
  kinds: readonly ItemKind[],
): ImportPrecondition[] =>
  preconditions.filter(
    ({ id, isMet }) => !isMet && PRECONDITIONS[id].neededBy.some((kind) => kinds.includes(kind)),
  );
