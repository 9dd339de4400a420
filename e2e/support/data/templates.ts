/** Report templates, uploaded through the session API. */
import type { Page } from '@playwright/test';
import type { EntryTypeVm, ReportTemplate } from '../../../contract/generated/types.gen.ts';
import { buildDocx } from './documents.ts';
import { callApi } from './entries.ts';

/** Uploads a Word template of one paragraph for the entries of a type. */
export async function uploadTemplate(
  session: Pick<Page, 'request'>,
  type: string,
  name: string,
  text: string,
): Promise<ReportTemplate> {
  const types = await callApi<EntryTypeVm[]>(session, 'GET', '/schema/entrytypes');
  const entryTypeId = types.find(({ apiName }) => apiName === type)?.id;
  const response = await session.request.post('/console/api/rest/v4/templatereports', {
    headers: { 'X-Steward-Console': '1' },
    multipart: {
      model: JSON.stringify({ name, entryTypeId }),
      file: { name: `${name}.docx`, mimeType: 'application/zip', buffer: buildDocx([text]) },
    },
  });
  if (!response.ok()) throw new Error(`${name} was not stored: ${await response.text()}`);
  return (await response.json()) as ReportTemplate;
}
