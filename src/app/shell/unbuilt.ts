/** What an area that has no pages yet will do, and the calls of the interface that exist for it. */
export interface UnbuiltArea {
  purpose: string;
  operations: readonly string[];
}

/**
 * The one list of areas without pages. An area that gets its route leaves this list; its route is then found
 * before `routes/_app/$area.tsx`.
 */
export const UNBUILT: Readonly<Record<string, UnbuiltArea>> = {
  reports: {
    purpose: 'Run template reports over chosen entries, follow them, and download the documents.',
    operations: [
      'GET /api/rest/v4/templatereports',
      'POST /api/rest/v4/templatereports/{templateId}/runs',
      'GET /api/rest/v4/templatereports/runs/{runId}',
    ],
  },
  imports: {
    purpose:
      'Post metadata of e-mails and meetings for Relationship Intelligence, and see how far each person is.',
    operations: [
      'POST /api/rest/v4/ri/import/emails',
      'POST /api/rest/v4/ri/import/meetings',
      'GET /api/rest/v4/ri/import/status',
      'GET /api/rest/v4/ri/import/settings',
    ],
  },
  publications: {
    purpose: 'Define topics of change events, choose their fields, and watch the stream.',
    operations: [
      'POST /api/rest/v1/publication/poll',
      'POST /api/rest/v1/publication/acknowledge',
      'GET /api/rest/v1/publication/topics',
    ],
  },
  agent: {
    purpose: 'Switch on the read-only server for AI agents, see its tools, and what agents asked.',
    operations: ['POST /api/agent/mcp'],
  },
};
