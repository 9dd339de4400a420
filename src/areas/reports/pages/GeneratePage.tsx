import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type {
  NewReportSchedule,
  ReportFormat,
  ReportRunRequest,
  ReportTemplate,
} from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  getReportOptionsOptions,
  listReportTemplatesOptions,
} from '../../../api/generated/queries/reports.gen.ts';
import { getJob } from '../../../api/generated/sdk/jobs.gen.ts';
import { createReportSchedule, startReportRun } from '../../../api/generated/sdk/reports.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { parseWallIso, toDateTimeField } from '../../../lib/dates/time-zones.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useSchema, useTimeZone } from '../../entries/index.ts';
import { showStartedJob } from '../../jobs/index.ts';
import { FORMAT_LABELS, sortTemplates } from '../model/reports.ts';
import { NO_DELIVERY, toTiming } from '../model/schedules.ts';
import { filterTemplates, parseSelection } from '../model/selection.ts';
import type { ReportSelection } from '../model/selection.ts';
import { DeliveryFields } from './DeliveryFields.tsx';
import '../reports.css';

const route = getRouteApi('/_app/reports/generate');

/** Page that generates a report of the entries that the URL selects. */
export function GeneratePage() {
  const search = route.useSearch();
  const selection = useMemo(() => parseSelection(search), [search]);
  const { allowed, reason } = usePermission('startReportRun');
  if (!allowed) throw new ServiceError(403, reason ?? 'You cannot generate reports');
  return (
    <Page title="Generate a report" breadcrumbs={<Breadcrumbs />}>
      <GenerateForm selection={selection} key={JSON.stringify(search)} />
    </Page>
  );
}

function GenerateForm({ selection }: { selection: ReportSelection }) {
  const { types } = useSchema();
  const { data, error, refetch } = useQuery(listReportTemplatesOptions());
  const type = types.find(
    ({ id, apiName }) =>
      String(id) === selection.type || apiName.toLowerCase() === selection.type.toLowerCase(),
  );
  if (!data && error)
    return (
      <ErrorState title="The templates could not be loaded" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!data) return <SkeletonRows rows={5} />;
  const templates = filterTemplates(sortTemplates(data), selection, type?.id);
  if (templates.length === 0)
    return (
      <>
        {selection.templateId !== undefined && (
          <UnusableTemplate template={data.find(({ id }) => id === selection.templateId)} />
        )}
        <EmptyState
          icon={FileText}
          title={type ? `No template for ${type.pluralName} is ready` : 'No template is ready'}
          actions={<Link to="/reports">Show the templates</Link>}
        >
          A template is a Word or Excel file with placeholders.
        </EmptyState>
      </>
    );
  return <TemplateForm {...{ selection, templates }} known={data} />;
}

interface TemplateFormProps {
  selection: ReportSelection;
  /** Templates that can be chosen. */
  templates: readonly ReportTemplate[];
  /** All templates, of which one that cannot be chosen is named. */
  known: readonly ReportTemplate[];
}

function TemplateForm({ selection, templates, known }: TemplateFormProps) {
  const id = useId();
  const { typeById } = useSchema();
  const { name: timeZone } = useTimeZone();
  const { data: options } = useQuery(getReportOptionsOptions());
  const [chosenId, setChosenId] = useState(selection.templateId ?? templates[0]?.id);
  const [isPdf, setIsPdf] = useState(false);
  const [document, setDocument] = useState<'one' | 'zip'>('one');
  const [asOf, setAsOf] = useState(
    selection.asOf === '' ? '' : toDateTimeField(Date.parse(selection.asOf), timeZone),
  );
  const delivery = useForm({ defaultValues: NO_DELIVERY });
  const isRepeated = useWatch({ control: delivery.control, name: 'repeat' }) !== 'once';
  const start = useStart();
  const submitButton = useRef<HTMLButtonElement>(null);
  const template = templates.find((one) => one.id === chosenId);
  const type = template && typeById.get(template.entryTypeId);
  const isSelected = selection.ids.length > 0;
  const moment = asOf === '' ? undefined : parseWallIso(asOf, timeZone);
  // A schedule has no moment: the field is hidden.
  const momentError =
    !isRepeated && asOf !== '' && moment === undefined
      ? `This time does not exist in ${timeZone}`
      : undefined;
  const limits = options?.limits;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!template || start.isPending || momentError !== undefined) return;
    const entries: Partial<ReportRunRequest> = isSelected
      ? { entryIds: [...selection.ids] }
      : {
          query: selection.query ?? {},
          ...(selection.orderBy !== '' && { orderBy: selection.orderBy }),
        };
    const values = delivery.getValues();
    const { recipients } = values;
    const format: ReportFormat = isPdf ? 'pdf' : template.format;
    const request = {
      ...entries,
      format,
      timeZone,
      ...(!template.listsRows && { document }),
      filterText: describeSelection(selection, type?.pluralName ?? 'entries'),
    };
    const timing = toTiming(values);
    const templateId = template.id;
    // The fields are locked and lose the focus.
    submitButton.current?.focus();
    await start
      .mutateAsync(
        timing
          ? { schedule: { templateId, ...timing, ...request, recipients } }
          : {
              templateId,
              body: {
                ...request,
                ...(moment !== undefined && { asOf: moment }),
                ...(recipients.length > 0 && { recipients }),
              },
            },
      )
      .catch(() => undefined);
  };
  return (
    <Card>
      <CardBody>
        <form className="form" onSubmit={(event) => void submit(event)}>
          <div className="form-body rep-generate" inert={start.isPending}>
            {start.error && <FailureBanner failure={start.error} />}
            {!template && <UnusableTemplate template={known.find((one) => one.id === chosenId)} />}
            <FieldFrame
              id={`${id}-template`}
              noteId={`${id}-template-note`}
              label="Template"
              hint={template ? (template.description ?? undefined) : 'Choose another template.'}
            >
              <Select
                id={`${id}-template`}
                label="Template"
                labelledBy={`${id}-template-label`}
                value={template?.id}
                describedBy={`${id}-template-note`}
                onChange={setChosenId}
                options={templates.map((one) => ({
                  value: one.id,
                  label: `${one.name} (${FORMAT_LABELS[one.format]})`,
                }))}
              />
            </FieldFrame>
            {template && (
              <>
                <div className="field">
                  <span className="field-label">Entries</span>
                  <p>{describeSelection(selection, type?.pluralName ?? 'entries')}</p>
                  {!isSelected && type && (
                    <Link to="/entries/$type" params={{ type: type.apiName }}>
                      Select or filter {type.pluralName}
                    </Link>
                  )}
                </div>
                <fieldset className="rep-choices">
                  <legend className="field-label">Format</legend>
                  <Choice
                    name={`${id}-format`}
                    label={FORMAT_LABELS[template.format]}
                    isChosen={!isPdf}
                    onChoose={() => setIsPdf(false)}
                  />
                  <Choice
                    name={`${id}-format`}
                    label="PDF"
                    isChosen={isPdf}
                    hint={options?.pdf.isAvailable === true ? undefined : (options?.pdf.reason ?? undefined)}
                    isDisabled={options?.pdf.isAvailable !== true}
                    onChoose={() => setIsPdf(true)}
                  />
                </fieldset>
                {!template.listsRows && (
                  <fieldset className="rep-choices">
                    <legend className="field-label">Documents</legend>
                    <Choice
                      name={`${id}-document`}
                      label="One document"
                      hint={limits && `A section for each entry, up to ${formatNumber(limits.sections)}.`}
                      isChosen={document === 'one'}
                      onChoose={() => setDocument('one')}
                    />
                    <Choice
                      name={`${id}-document`}
                      label="A document for each entry"
                      hint={limits && `In a ZIP file, up to ${formatNumber(limits.files)}.`}
                      isChosen={document === 'zip'}
                      onChoose={() => setDocument('zip')}
                    />
                  </fieldset>
                )}
                {!isRepeated && (
                  <FieldFrame
                    id={`${id}-as-of`}
                    noteId={`${id}-as-of-note`}
                    label="As of"
                    optional
                    hint={`Entries and values of that time (${timeZone}). Empty: of the moment when the report is generated.`}
                    error={momentError}
                  >
                    <DateInput
                      id={`${id}-as-of`}
                      kind="time"
                      timeZone={timeZone}
                      value={asOf}
                      isInvalid={momentError !== undefined}
                      describedBy={`${id}-as-of-note`}
                      onChange={setAsOf}
                    />
                  </FieldFrame>
                )}
                <DeliveryFields control={delivery.control} />
              </>
            )}
          </div>
          {template && (
            <div className="rep-submit">
              <Button
                ref={submitButton}
                type="submit"
                variant="primary"
                pending={start.isPending}
                disabledReason={momentError}
              >
                {isRepeated ? 'Save schedule' : 'Generate report'}
              </Button>
            </div>
          )}
        </form>
      </CardBody>
    </Card>
  );
}

/** Says why the template that was asked for, or chosen, is not offered. */
function UnusableTemplate({ template }: { template: ReportTemplate | undefined }) {
  const { typeById } = useSchema();
  if (!template)
    return (
      <Banner tone="warn" title="This template does not exist">
        It was deleted. Reports that were generated from it are still listed.
      </Banner>
    );
  const { id, name, status, entryTypeId } = template;
  return (
    <Banner
      tone="warn"
      title={
        status === 'Broken'
          ? `${name} is broken`
          : `${name} is now for ${typeById.get(entryTypeId)?.pluralName ?? 'a deleted type'}`
      }
      actions={
        <Link to="/reports/$templateId" params={{ templateId: id }}>
          Show the template
        </Link>
      }
    >
      {status === 'Broken' ? 'It generates no report until its file is corrected.' : undefined}
    </Banner>
  );
}

/** The selection in words: "12 selected Companies", "Companies where Sector is Energy", "All Companies". */
function describeSelection({ ids, filter, query }: ReportSelection, pluralName: string): string {
  if (ids.length > 0)
    return pluralize(ids.length, `selected entry of ${pluralName}`, `selected ${pluralName}`);
  if (filter !== '') return `${pluralName}: ${filter}`;
  return query === undefined ? `All ${pluralName}` : `${pluralName} that match the filter`;
}

interface ChoiceProps {
  name: string;
  label: string;
  hint?: string | undefined;
  isChosen: boolean;
  isDisabled?: boolean;
  onChoose: () => void;
}

const Choice = ({ name, label, hint, isChosen, isDisabled = false, onChoose }: ChoiceProps) => (
  <label className="rep-choice">
    <input type="radio" name={name} checked={isChosen} disabled={isDisabled} onChange={onChoose} />
    <span>
      {label} {hint !== undefined && <small>{hint}</small>}
    </span>
  </label>
);

type StartRequest =
  | { templateId: number; body: ReportRunRequest; schedule?: never }
  | { schedule: NewReportSchedule };

/** Starts the report, shows its job and opens the list; or saves its schedule and opens that list. */
function useStart() {
  const client = useQueryClient();
  const router = useRouter();
  const start = useWrite('startReportRun', {
    async mutationFn({ templateId, body }: Exclude<StartRequest, { schedule: NewReportSchedule }>) {
      const { data } = await startReportRun({ path: { templateId }, body });
      try {
        const { data: job } = await getJob({ path: { jobId: data.jobId } });
        showStartedJob(client, job);
      } catch {
        // The report is generated whether or not its job can be read now.
      }
      await router.navigate({ to: '/reports/runs' });
    },
  });
  const save = useWrite('createReportSchedule', {
    async mutationFn(body: NewReportSchedule) {
      await createReportSchedule({ body });
      await router.navigate({ to: '/reports/schedules' });
    },
  });
  return {
    isPending: start.isPending || save.isPending,
    error: start.error ?? save.error,
    mutateAsync: (request: StartRequest) => {
      (request.schedule ? start : save).reset();
      return request.schedule ? save.mutateAsync(request.schedule) : start.mutateAsync(request);
    },
  };
}
