import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { FormEvent } from 'react';
import type { ReportCheck, ReportTemplateDetail } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { getReportOptionsOptions } from '../../../api/generated/queries/reports.gen.ts';
import {
  checkReportFile,
  createReportTemplate,
  replaceReportTemplate,
} from '../../../api/generated/sdk/reports.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { usePanelGuard } from '../../../ui/dialog/unsaved-work.ts';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { FileDrop } from '../../../ui/form/FileDrop.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { toast } from '../../../ui/toast.ts';
import { useSchema } from '../../entries/index.ts';
import { asForm, TEMPLATE_TYPES } from '../model/reports.ts';
import { CheckedDocument } from './CheckedDocument.tsx';

interface TemplatePanelProps {
  /** The template whose file or properties are changed; a new one without it. */
  template?: ReportTemplateDetail;
  /** Entity tag of the template, so that the change of another user is not overwritten. */
  etag?: string | undefined;
  /** Called when the input is saved or may be discarded: it must not ask again. */
  onClose: () => void;
}

interface SavedValues {
  name: string;
  description: string | null;
  entryTypeId: number;
}

/** Panel that creates or changes a template. A chosen file is checked before it is stored. */
export function TemplatePanel({ template, etag, onClose }: TemplatePanelProps) {
  const id = useId();
  const { types } = useSchema();
  const { reason } = usePermission(template ? 'replaceReportTemplate' : 'createReportTemplate');
  const { data: options } = useQuery(getReportOptionsOptions());
  // A later reading must not change what counts as input.
  const [initial] = useState({
    name: template?.name ?? '',
    description: template?.description ?? '',
    entryTypeId: template?.entryTypeId ?? types[0]?.id ?? 0,
  });
  const [name, setName] = useState(initial.name);
  const [description, setDescription] = useState(initial.description);
  const [entryTypeId, setEntryTypeId] = useState(initial.entryTypeId);
  const [file, setFile] = useState<File>();
  const isDirty =
    file !== undefined ||
    name !== initial.name ||
    description !== initial.description ||
    entryTypeId !== initial.entryTypeId;
  // The search `new` opens the panel of a new template (TemplatesPage).
  const { confirmClose, cancel } = usePanelGuard(
    isDirty,
    onClose,
    (search) => !template && !('new' in search),
  );
  const check = useCheck();
  // A later reading must not replace the tag of the values in the form.
  const [startEtag] = useState(etag);
  const save = useSave(template, startEtag);
  const maxBytes = options?.limits.templateBytes;
  const tooLarge =
    file && maxBytes !== undefined && file.size > maxBytes
      ? `The file is larger than ${formatSize(maxBytes)}`
      : undefined;

  const choose = (chosen: File | undefined, typeId = entryTypeId) => {
    setFile(chosen);
    // The name of the file is the usual name of the template.
    if (chosen && name === '') setName(chosen.name.replace(/\.\w+$/, ''));
    if (chosen && (maxBytes === undefined || chosen.size <= maxBytes))
      check.mutate({ file: chosen, entryTypeId: typeId });
    else check.reset();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    const values = { name: name.trim(), description: description.trim() || null, entryTypeId };
    const saved = await save.mutateAsync({ values, file }).catch(() => undefined);
    if (!saved) return;
    toast({
      title: template ? `${saved.name} was saved` : `${saved.name} was created`,
      ...(saved.status === 'Broken' && { description: 'It is broken until its file is corrected.' }),
    });
    onClose();
  };
  const nameTooLong = findLengthError(name, 200);
  const descriptionTooLong = findLengthError(description, 2000);
  const missing =
    name.trim() === '' ? 'Enter a name first' : !template && !file ? 'Choose a file first' : undefined;
  return (
    <Panel
      title={template ? `Change ${template.name}` : 'New template'}
      onClose={onClose}
      confirmClose={confirmClose}
    >
      <form className="form" onSubmit={(event) => void submit(event)}>
        <div className="form-body rep-form" inert={save.isPending}>
          {save.error &&
            (template && toServiceError(save.error).status === 412 ? (
              <ConflictBanner
                action="report-template.update"
                subjectType="report-template"
                subjectId={template.id}
                what="the template"
              >
                Your changes are not saved. Reload the page to see theirs, then make yours again.
              </ConflictBanner>
            ) : (
              <FailureBanner failure={save.error} />
            ))}
          <FieldFrame
            id={`${id}-file`}
            noteId={`${id}-file-note`}
            label={template ? 'New file' : 'File'}
            optional={template !== undefined}
            hint={
              template
                ? 'Makes a new version. The last 20 versions are kept.'
                : `A Word (.docx) or Excel (.xlsx) file${maxBytes === undefined ? '' : ` of at most ${formatSize(maxBytes)}`} with placeholders such as {Name}.`
            }
            error={tooLarge}
          >
            <FileDrop
              id={`${id}-file`}
              what="a Word or Excel file"
              accept={TEMPLATE_TYPES}
              chosen={file?.name}
              aria-describedby={`${id}-file-note`}
              onFiles={([chosen]) => choose(chosen)}
            />
          </FieldFrame>
          <FieldFrame id={`${id}-name`} noteId={`${id}-name-note`} label="Name" error={nameTooLong}>
            <input
              id={`${id}-name`}
              className="input"
              aria-invalid={nameTooLong !== undefined}
              aria-describedby={`${id}-name-note`}
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </FieldFrame>
          <FieldFrame id={`${id}-type`} noteId={undefined} label="For entries of">
            <Select
              id={`${id}-type`}
              label="For entries of"
              labelledBy={`${id}-type-label`}
              value={entryTypeId}
              onChange={(typeId) => {
                setEntryTypeId(typeId);
                choose(file, typeId);
              }}
              options={types.map(toTypeOption)}
            />
          </FieldFrame>
          <FieldFrame
            id={`${id}-description`}
            noteId={`${id}-description-note`}
            label="Description"
            optional
            error={descriptionTooLong}
          >
            <textarea
              id={`${id}-description`}
              className="input"
              aria-invalid={descriptionTooLong !== undefined}
              aria-describedby={`${id}-description-note`}
              rows={2}
              value={description}
              onChange={({ target }) => setDescription(target.value)}
            />
          </FieldFrame>
          <section aria-label="Check" aria-busy={check.isPending} aria-live="polite">
            {check.isPending && <p className="field-hint">Checking the file</p>}
            {check.error && <FailureBanner failure={check.error} />}
            {check.data && <CheckedDocument check={check.data} />}
          </section>
        </div>
        <footer className="form-footer">
          <Button onClick={() => void cancel()}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            pending={save.isPending}
            disabledReason={reason ?? missing ?? tooLarge ?? nameTooLong ?? descriptionTooLong}
          >
            {template ? 'Save' : 'Create template'}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

const findLengthError = (text: string, most: number): string | undefined =>
  text.trim().length > most ? `Use at most ${formatNumber(most)} characters` : undefined;

/** Checks a chosen file without storing it. */
const useCheck = () =>
  useWrite('checkReportFile', {
    async mutationFn({ file, entryTypeId }: { file: File; entryTypeId: number }): Promise<ReportCheck> {
      const { data } = await checkReportFile(asForm({ entryTypeId }, file));
      return data;
    },
  });

const useSave = (template: ReportTemplateDetail | undefined, etag: string | undefined) =>
  useWrite(template ? 'replaceReportTemplate' : 'createReportTemplate', {
    async mutationFn({ values, file }: { values: SavedValues; file: File | undefined }) {
      if (!template) {
        if (!file) throw new ServiceError(400, 'Choose a file first');
        const { data } = await createReportTemplate(asForm(values, file));
        return data;
      }
      const path = { templateId: template.id };
      const ifMatch = etag === undefined ? {} : { 'If-Match': etag };
      const form = file && asForm(values, file);
      const { data } = await replaceReportTemplate(
        form
          ? { path, ...form, headers: { ...form.headers, ...ifMatch } }
          : { path, body: values, headers: ifMatch },
      );
      return data;
    },
  });
