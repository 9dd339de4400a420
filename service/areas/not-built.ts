import type { OperationId } from '../kernel/http/handler.ts';

/** Operations of the contract that answer 501. The list only shrinks. */
export const notBuilt = [
  'importEmails',
  'importMeetings',
  'getImportStatus',
  'getImportSettings',
  'pollPublication',
  'acknowledgePublication',
  'listTopics',
  'streamTopic',
  'listTopicDefinitions',
  'createTopicDefinition',
  'getTopicDefinition',
  'updateTopicDefinition',
  'deleteTopicDefinition',
  'listReportTemplates',
  'startReportRun',
  'listReportRuns',
  'getReportRun',
  'downloadReport',
  'callAgentServer',
] as const satisfies readonly OperationId[];

export type NotBuilt = (typeof notBuilt)[number];
