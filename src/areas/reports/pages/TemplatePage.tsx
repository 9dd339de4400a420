import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { Download, FileText, PencilLine, Trash2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { ReportTemplateDetail } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  getReportOptionsOptions,
  listReportPlaceholdersOptions,
} from '../../../api/generated/queries/reports.gen.ts';
import { deleteReportTemplate, previewReport } from '../../../api/generated/sdk/reports.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { saveFile } from '../../../files/download.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { MenuItemData } from '../../../ui/menu/menu-items.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { createBlobSource } from '../../../ui/pdf/blob-source.ts';
import type { PdfSource } from '../../../ui/pdf/pdf-document.ts';
import { toast } from '../../../ui/toast.ts';
import { IdPicker, useSchema, useTimeZone } from '../../entries/index.ts';
import {
  findEntries,
  FORMAT_LABELS,
  saveTemplate,
  showFailure,
  templateCheckQuery,
  templateQuery,
} from '../model/reports.ts';
import { formatSelection } from '../model/selection.ts';
import { CheckedDocument } from './CheckedDocument.tsx';
import { TemplatePanel } from './TemplatePanel.tsx';
import '../reports.css';

const route = getRouteApi('/_app/reports/$templateId');
const PdfDialog = lazyWithPreload(() => import('../../../ui/pdf/PdfDialog.tsx'));

/** One template: its text with marks, placeholders to copy with the data of an entry, preview, and versions. */
export function TemplatePage() {
  const { templateId } = route.useParams();
  return <LoadedTemplate templateId={templateId} />;
}

function LoadedTemplate({ templateId }: { templateId: number }) {
  const { data, error, refetch } = useQuery(templateQuery(templateId));
  const failure = error === null ? undefined : toServiceError(error);
  if (data && failure?.status !== 404) return <Template template={data.data} etag={data.etag} />;
  return (
    <Page title="Template" breadcrumbs={<Breadcrumbs />}>
      {failure?.status === 404 ? (
        <EmptyState
          icon={FileText}
          title="This template does not exist"
          actions={<Link to="/reports">Show the templates</Link>}
        >
          It was deleted. Reports that were generated from it are still listed.
        </EmptyState>
      ) : failure ? (
        <ErrorState
          title="The template could not be loaded"
          onRetry={() => void refetch()}
          requestId={failure.requestId}
        >
          {failure.message}
        </ErrorState>
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Page>
  );
}

interface TemplateProps {
  template: ReportTemplateDetail;
  etag: string | undefined;
}

function Template({ template, etag }: TemplateProps) {
  const { typeById } = useSchema();
  const changePermission = usePermission('replaceReportTemplate');
  const runPermission = usePermission('startReportRun');
  const deletion = useDeletion({ template, etag });
  const [isChanging, setIsChanging] = useState(false);
  const [entry, setEntry] = useState<{ id: number; name: string }>();
  const { id, name, status, format, version, description, fileName } = template;
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      title={<bdi title={name}>{name}</bdi>}
      badge={<Badge tone={status === 'Broken' ? 'bad' : 'ok'}>{status}</Badge>}
      meta={`${FORMAT_LABELS[format]} template for ${typeById.get(template.entryTypeId)?.pluralName ?? 'a deleted type'} · version ${version}`}
      actions={
        <>
          <Button
            icon={PencilLine}
            disabledReason={changePermission.reason}
            onClick={() => setIsChanging(true)}
          >
            Change
          </Button>
          {status === 'Ready' && runPermission.allowed && (
            <Link
              to="/reports/generate"
              search={formatSelection({ templateId: id })}
              className={buttonClass({ variant: 'primary' })}
            >
              Generate report
            </Link>
          )}
          <MenuButton
            label={`Actions for ${name}`}
            variant="default"
            items={() => [
              { label: 'Download', icon: Download, onSelect: () => void saveTemplate(id, fileName) },
              'line',
              deletion,
            ]}
          />
        </>
      }
    >
      {description !== null && description !== undefined && <p className="rep-description">{description}</p>}
      <div className="rep-cols">
        <Card title="Document">
          <CardBody>
            <Check templateId={id} version={version} />
          </CardBody>
        </Card>
        <div className="rep-side">
          <Preview {...{ template, entry, setEntry }} />
          <Placeholders typeId={template.entryTypeId} entryId={entry?.id} />
          <Versions template={template} />
        </div>
      </div>
      {isChanging && <TemplatePanel {...{ template, etag }} onClose={() => setIsChanging(false)} />}
    </Page>
  );
}

/** Menu item that deletes the template after a confirmation. */
function useDeletion({ template: { id, name }, etag }: TemplateProps): MenuItemData {
  const router = useRouter();
  const client = useQueryClient();
  const { reason } = usePermission('deleteReportTemplate');
  const removal = useWrite('deleteReportTemplate', {
    mutationFn: () =>
      deleteReportTemplate({
        path: { templateId: id },
        headers: etag === undefined ? {} : { 'If-Match': etag },
      }),
  });
  const remove = async () => {
    const isDone = await confirm({
      title: `Delete ${name}?`,
      body: 'All versions of the template are deleted. Reports that were generated from it stay.',
      action: 'Delete template',
      danger: true,
      run: () => removal.mutateAsync(),
    });
    if (!isDone) return;
    toast({ title: `${name} was deleted` });
    await router.navigate({ to: '/reports' });
    client.removeQueries({ queryKey: templateQuery(id).queryKey });
  };
  return {
    label: 'Delete',
    icon: Trash2,
    danger: true,
    disabledReason: reason,
    onSelect: () => void remove(),
  };
}

/** The check against the schema of now. */
function Check({ templateId, version }: { templateId: number; version: number }) {
  const { data, error } = useQuery(templateCheckQuery(templateId, version));
  if (error) return <p className="field-error">{toServiceError(error).message}</p>;
  return data ? <CheckedDocument check={data} /> : <SkeletonRows rows={6} />;
}

interface PreviewProps {
  template: ReportTemplateDetail;
  entry: { id: number; name: string } | undefined;
  setEntry: (entry: { id: number; name: string } | undefined) => void;
}

/** Chooses an entry and shows the report of it: as PDF in the viewer where the service makes PDF files. */
function Preview({ template, entry, setEntry }: PreviewProps) {
  const schema = useSchema();
  const { name: timeZone } = useTimeZone();
  const { reason } = usePermission('previewReport');
  const { data: options } = useQuery(getReportOptionsOptions());
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const [source, setSource] = useState<{ pdf: PdfSource; blob: Blob }>();
  const { id: templateId, entryTypeId, format, status, name } = template;
  const hasPdf = options?.pdf.isAvailable === true;
  const preview = useWrite('previewReport', {
    async mutationFn({ entryId, as }: { entryId: number; as: 'pdf' | 'docx' | 'xlsx' }) {
      const body = { entryId, format: as, timeZone };
      const { data } = await previewReport({ path: { templateId }, body, parseAs: 'blob' });
      if (!(data instanceof Blob)) throw new ServiceError(0, 'The service returned no file');
      return data;
    },
  });
  const fileName = (ending: string) => `${name}, ${entry?.name ?? ''}.${ending}`;
  const show = async () => {
    if (!entry) return;
    const as = hasPdf ? 'pdf' : format;
    try {
      const blob = await preview.mutateAsync({ entryId: entry.id, as });
      if (as === 'pdf') setSource({ pdf: createBlobSource(fileName('pdf'), blob), blob });
      else saveFile(fileName(format), blob);
    } catch (thrown) {
      showFailure('The preview was not generated', thrown);
    }
  };
  return (
    <Card title="Preview">
      <CardBody>
        <div className="rep-preview">
          <IdPicker
            label="Entry"
            queryKey={`report-entry-${entryTypeId}`}
            loadOptions={async (text, signal) => {
              const found = await findEntries(schema, entryTypeId, text, signal);
              setNames(
                (all) =>
                  new Map([...all, ...found.map(({ value, label }) => [Number(value), label] as const)]),
              );
              return found;
            }}
            value={entry ? [entry.id] : []}
            formatId={(id) => names.get(id) ?? `Entry ${id}`}
            isMulti={false}
            onChange={([id]) =>
              setEntry(id === undefined ? undefined : { id, name: names.get(id) ?? `Entry ${id}` })
            }
          />
          <Button
            pending={preview.isPending}
            disabledReason={
              reason ??
              (status === 'Broken' ? 'The template is broken' : entry ? undefined : 'Choose an entry first')
            }
            onPointerEnter={hasPdf ? PdfDialog.preload : undefined}
            onClick={() => void show()}
          >
            {hasPdf ? 'Show as PDF' : `Download as ${FORMAT_LABELS[format]}`}
          </Button>
        </div>
        {options && !hasPdf && (
          <p className="field-hint">
            {options.pdf.reason ?? 'PDF files are not available on this installation.'}
          </p>
        )}
        {source && (
          <Suspense>
            <PdfDialog
              source={source.pdf}
              onDownload={() => saveFile(source.pdf.name, source.blob)}
              onClose={() => setSource(undefined)}
            />
          </Suspense>
        )}
      </CardBody>
    </Card>
  );
}

interface PlaceholdersProps {
  typeId: number;
  /** The entry whose values are shown. */
  entryId: number | undefined;
}

/** The placeholders of the type, to copy into the document. */
function Placeholders({ typeId, entryId }: PlaceholdersProps) {
  const [text, setText] = useState('');
  const { data, error, isPlaceholderData } = useQuery({
    ...listReportPlaceholdersOptions({
      query: { entryTypeId: typeId, ...(entryId !== undefined && { entryId }) },
    }),
    // The list stays until the values of the chosen entry are there.
    placeholderData: keepPreviousData,
  });
  const folded = foldText(text.trim());
  const shown = data?.filter(
    ({ name, path }) => foldText(name).includes(folded) || foldText(path).includes(folded),
  );
  return (
    <Card title="Placeholders">
      <CardBody>
        <SearchField label="Find a placeholder" value={text} onChange={setText} />
        {error && <p className="field-error">{toServiceError(error).message}</p>}
        {shown?.length === 0 && <p className="field-hint">No placeholder matches.</p>}
        <ul className="rep-placeholders" aria-label="Placeholders">
          {shown?.map(({ placeholder, path, name, formats, value }) => (
            <li key={path}>
              <span className="rep-placeholder">
                <code>{placeholder}</code>
                <span>{name}</span>
                {entryId !== undefined && !isPlaceholderData && (
                  <span className="rep-value">
                    {value === null || value === undefined || value === '' ? 'No data' : value}
                  </span>
                )}
                {formats.length > 0 && (
                  <span className="rep-formats">
                    Formats: {formats.map((format) => `| ${format}`).join('  ')}
                  </span>
                )}
              </span>
              <CopyButton value={placeholder} label={`Copy ${placeholder}`} />
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}

function Versions({ template: { id, versions } }: { template: ReportTemplateDetail }) {
  return (
    <Card title="Versions">
      <ul className="rep-versions" aria-label="Versions">
        {versions.map(({ version, fileName, size, sha256, createdDate, createdByName, hasFile }) => (
          <li key={version}>
            <span>
              <strong>{formatNumber(version)}</strong> <bdi>{fileName}</bdi>
              <span className="rep-quiet">
                {formatSize(size)} · {createdByName ?? 'A former user'} · <Timestamp at={createdDate} />
              </span>
              <span className="rep-quiet mono" title={`SHA-256 ${sha256}`}>
                {sha256.slice(0, 12)}
              </span>
            </span>
            <IconButton
              label={`Download version ${version}`}
              icon={Download}
              size="small"
              disabledReason={hasFile ? undefined : 'The file of this version is no longer kept'}
              onClick={() => void saveTemplate(id, fileName, version)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
