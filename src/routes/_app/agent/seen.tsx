import { createFileRoute } from '@tanstack/react-router';
import { FieldsReadPage } from '../../../areas/agent/pages/FieldsReadPage.tsx';
import { omitUndefined, parseIds } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/agent/seen')({
  staticData: { title: 'Fields read', part: 'tab' },
  validateSearch: (search): { entry?: number; agent?: number } =>
    omitUndefined({ entry: parseIds(search.entry)[0], agent: parseIds(search.agent)[0] }),
  component: FieldsReadPage,
});
