import type { Capability, ImportKind, ImportPrecondition } from '../../../../contract/generated/types.gen.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { StoredSettings } from '../settings/settings.store.ts';

/**
 * Requires what a site must have set for an import of this kind (spec 5.5). The users and the capabilities have checks of their own.
 * @throws ApiError 400 with the text of the first precondition that is not met
 */
export function requirePreconditions(settings: StoredSettings, kind: ImportKind): void {
  if (settings.connectionType !== 'API Endpoint')
    throw new ApiError(400, 'API must be selected as the Exchange connection type to use this API endpoint');
  if (!settings.isEnabled)
    throw new ApiError(400, 'Relationship Intelligence must be enabled to use this API endpoint');
  const isOn = kind === 'emails' ? settings.emailRelationships : settings.meetingRelationships;
  if (!isOn || !settings.collectRelationshipData)
    throw new ApiError(400, 'Email or Event collection must be enabled to use this API endpoint');
}

/** The preconditions of spec 5.5 one by one. */
export function listPreconditions(
  settings: StoredSettings,
  capabilities: ReadonlySet<Capability>,
  enabledUsers: number,
): ImportPrecondition[] {
  const has = (capability: Capability) => capabilities.has(capability);
  return [
    {
      id: 'apiEndpointConnection',
      description: 'The connection type is API Endpoint',
      isMet: settings.connectionType === 'API Endpoint',
    },
    {
      id: 'relationshipIntelligence',
      description: 'Relationship Intelligence is enabled',
      isMet: settings.isEnabled,
    },
    {
      id: 'accessWebService',
      description: 'You have the capability Access Web Service',
      isMet: has('Access Web Service'),
    },
    {
      id: 'accessRelationshipIntelligence',
      description: 'You have the capability Access 4. Relationship Intelligence',
      isMet: has('Access 4. Relationship Intelligence'),
    },
    {
      id: 'enabledUsers',
      description: 'Users are enabled for relationship scoring',
      isMet: enabledUsers > 0,
    },
    {
      id: 'emailRelationships',
      description: 'Email Relationships is on',
      isMet: settings.emailRelationships,
    },
    {
      id: 'meetingRelationships',
      description: 'Meeting Relationships is on',
      isMet: settings.meetingRelationships,
    },
    {
      id: 'collectRelationshipData',
      description: 'Collect Relationship Data is on',
      isMet: settings.collectRelationshipData,
    },
    {
      id: 'automatedContactCreation',
      description: 'Automated contact creation is on and has an entry type',
      isMet: settings.automatedContactCreation && settings.contactEntryTypeId !== null,
    },
  ];
}
