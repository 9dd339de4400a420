import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileText, Plus } from 'lucide-react';
import { useMemo } from 'react';
import type { ReportTemplate } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listReportTemplatesOptions } from '../../../api/generated/queries/reports.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TypeLabel } from '../../../ui/layout/TypeTile.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { useSchema } from '../../entries/index.ts';
import { FORMAT_LABELS, sortTemplates } from '../model/reports.ts';
import { formatSelection } from '../model/selection.ts';
import { LastRun } from './LastRun.tsx';
import { ReportTabs } from './ReportTabs.tsx';
import { TemplatePanel } from './TemplatePanel.tsx';
import '../reports.css';

const route = getRouteApi('/_app/reports/');

const getId = ({ id }: ReportTemplate) => String(id);
const getName = ({ name }: ReportTemplate) => name;

const formatSummary = (templates: readonly ReportTemplate[]): string => {
  const broken = templates.filter(({ status }) => status === 'Broken').length;
  return `${pluralize(templates.length, 'template', 'templates')}${broken > 0 ? ` · ${broken} broken` : ''}`;
};

/** Catalogue of the templates, broken ones first; the panel of a new one opens over it. */
export function TemplatesPage() {
  const { new: isNew } = route.useSearch();
  const navigate = route.useNavigate();
  const { allowed, reason } = usePermission('listReportTemplates');
  const { allowed: mayCreate } = usePermission('createReportTemplate');
  const query = useQuery({
    ...listReportTemplatesOptions(),
    enabled: allowed,
  });
  const { data, error, refetch, isRefetching } = query;
  const templates = useMemo(() => data && sortTemplates(data), [data]);
  const newTemplate = mayCreate && (
    <Link to="/reports" search={{ new: true }} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      New template
    </Link>
  );
  if (!allowed)
    return (
      <Page title="Reports">
        <EmptyState icon={FileText} title="You cannot use reports">
          {reason}.
        </EmptyState>
      </Page>
    );
  return (
    <>
      <Page
        fill
        title="Reports"
        meta={templates && templates.length > 0 && formatSummary(templates)}
        actions={newTemplate}
      >
        <ReportTabs />
        <ListTable
          table="reportTemplates"
          label="Templates"
          columns={COLUMNS}
          rows={templates}
          rowId={getId}
          rowLabel={getName}
          error={error === null ? undefined : toServiceError(error)}
          onRetry={() => void refetch()}
          footer={<QueryAge query={query} />}
          refetching={isRefetching && error !== null}
          empty={
            <EmptyState icon={FileText} title="No templates yet" actions={newTemplate}>
              A template is a Word or Excel file with placeholders such as {'{Name}'}, which a report fills
              with the values of entries.
            </EmptyState>
          }
        />
      </Page>
      {isNew === true && <TemplatePanel onClose={() => void navigate({ search: {}, ignoreBlocker: true })} />}
    </>
  );
}

/** Name of the type of a template. */
function TypeName({ template }: { template: ReportTemplate }) {
  const type = useSchema().typeById.get(template.entryTypeId);
  return type ? (
    <TypeLabel type={type}>
      <bdi>{type.pluralName}</bdi>
    </TypeLabel>
  ) : (
    'A deleted type'
  );
}

function GenerateLink({ template, tabIndex }: { template: ReportTemplate; tabIndex: number }) {
  const { allowed } = usePermission('startReportRun');
  if (template.status === 'Broken' || !allowed) return null;
  return (
    <Link
      to="/reports/generate"
      search={formatSelection({ templateId: template.id })}
      className={buttonClass({ size: 'small' })}
      tabIndex={tabIndex}
      aria-label={`Generate ${template.name}`}
    >
      Generate
    </Link>
  );
}

const COLUMNS: readonly Column<ReportTemplate>[] = [
  {
    id: 'name',
    header: 'Template',
    minWidth: 180,
    cell: ({ id, name }, { tabIndex }) => (
      <Link to="/reports/$templateId" params={{ templateId: id }} tabIndex={tabIndex} title={name}>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 112,
    small: 'aside',
    cell: ({ status, errorCount }) =>
      status === 'Broken' ? (
        <Badge tone="bad">{pluralize(errorCount, 'error', 'errors')}</Badge>
      ) : (
        <Badge tone="ok">Ready</Badge>
      ),
  },
  { id: 'type', header: 'For', minWidth: 120, cell: (template) => <TypeName template={template} /> },
  { id: 'format', header: 'Format', width: 84, cell: ({ format }) => FORMAT_LABELS[format] },
  {
    id: 'fields',
    header: 'Fields used',
    minWidth: 160,
    cell: ({ fields }) => {
      const names = fields.map(({ name }) => name).join(', ');
      return <span title={names}>{names === '' ? 'None' : names}</span>;
    },
  },
  {
    id: 'run',
    header: 'Last generated',
    width: 132,
    small: 'line',
    cell: ({ lastRun }, { tabIndex }) => <LastRun run={lastRun} tabIndex={tabIndex} />,
  },
  {
    id: 'generate',
    header: 'Action',
    width: 108,
    small: 'line',
    cell: (template, { tabIndex }) => <GenerateLink template={template} tabIndex={tabIndex} />,
  },
];
