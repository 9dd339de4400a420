import { useQueryClient } from '@tanstack/react-query';
import { Upload as UploadIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { toServiceError, UnknownOutcomeError } from '../../../api/errors.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { getSessionIdentity } from '../../../api/session-query.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { formatProgressPercent } from '../../../lib/percentages.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { guardStagedWork } from '../../../ui/dialog/unsaved-work.ts';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import type { Field } from '../model/schema.ts';
import { uploadSequentially, uploadFile, getUploadError } from './upload.ts';
import './files.css';

interface UploadButtonProps {
  entryId: number;
  field: Field;
  /** Whether the field has a file already. */
  hasFile: boolean;
}

/** A file being uploaded, or one whose upload failed and can be retried. */
interface PendingUpload {
  id: number;
  file: File;
  progress: number;
  controller: AbortController | undefined;
  error: string | undefined;
}

const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp';

/** Runs work during which the browser asks before closing the tab. */
async function guardWork(work: () => Promise<void>): Promise<void> {
  const release = guardStagedWork();
  await work().finally(release);
}

/** Uploads files into a field, one request per file, one after the other. */
function useUploads({ entryId, field }: Pick<UploadButtonProps, 'entryId' | 'field'>) {
  const client = useQueryClient();
  const session = useSession();
  const [uploads, setUploads] = useState<readonly PendingUpload[]>([]);
  const lastId = useRef(0);
  // Ids of files that wait for their turn.
  const waiting = useRef(new Set<number>());
  // Uploads continue on other pages of the console; failures are then reported as toasts.
  const isUnmounted = useRef(false);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
    };
  }, []);
  const update = (id: number, next: Partial<PendingUpload>) =>
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...next } : upload)));
  const remove = (id: number) => {
    waiting.current.delete(id);
    setUploads((all) => all.filter((upload) => upload.id !== id));
  };
  const send = async ({ id, file }: Pick<PendingUpload, 'id' | 'file'>) => {
    const uploadError = getUploadError(file);
    if (uploadError !== undefined) {
      update(id, { error: uploadError });
      return;
    }
    const controller = new AbortController();
    update(id, { controller, error: undefined, progress: 0 });
    const upload = { typeId: field.entryTypeId, entryId, fieldId: field.id, file };
    try {
      await uploadFile(
        upload,
        getSessionIdentity(session),
        (progress) => update(id, { progress }),
        controller.signal,
      );
      remove(id);
      announce(`${file.name} was uploaded`);
      await invalidateAfter(client, 'updateEntries');
    } catch (thrown) {
      const failure = toServiceError(thrown);
      const { message, fields, status } = failure;
      const error = fields.length > 0 ? fields.map((each) => each.message).join('. ') : message;
      update(id, { controller: undefined, error });
      if (isUnmounted.current) toastFailedWrite(file.name, 'uploaded', failure, error);
      // Without an answer the file may have been stored; the reloaded list shows it.
      if (status === 0 || failure instanceof UnknownOutcomeError)
        await invalidateAfter(client, 'updateEntries');
    }
  };
  const choose = async (files: readonly File[]) => {
    const added = files.map((file, index) => ({
      id: lastId.current + 1 + index,
      file,
      progress: 0,
      controller: undefined,
      error: undefined,
    }));
    lastId.current += files.length;
    setUploads((all) => [...all, ...added]);
    await guardWork(() => uploadSequentially(added, waiting.current, send));
  };
  const retry = (upload: PendingUpload) => guardWork(() => send(upload));
  return { uploads, choose, retry, remove };
}

/** Button to add files to a field or replace its file; failed uploads are listed and can be retried. */
export function UploadButton({ entryId, field, hasFile }: UploadButtonProps) {
  const { reason } = usePermission('updateEntries');
  const input = useRef<HTMLInputElement>(null);
  const { uploads, choose, retry, remove } = useUploads({ entryId, field });
  const isMulti = field.isMultiSelect;
  return (
    <div className="fl-uploads">
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`Files for ${field.name}`}
        multiple={isMulti}
        accept={field.fieldType === FIELD.image ? IMAGE_TYPES : undefined}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // Cleared, so that selecting the same file again raises an event.
          target.value = '';
          void choose(files);
        }}
      />
      {uploads.map((upload) => (
        <div key={upload.id} className="fl-upload">
          <bdi>{upload.file.name}</bdi>
          {upload.error === undefined ? (
            <>
              <progress max={1} value={upload.progress} aria-label={`Upload of ${upload.file.name}`} />
              <span className="num">{formatProgressPercent(upload.progress)}</span>
              <Button
                size="small"
                variant="quiet"
                onClick={() => (upload.controller ? upload.controller.abort() : remove(upload.id))}
              >
                Stop
              </Button>
            </>
          ) : (
            <>
              <span className="field-error" role="alert">
                {upload.error}
              </span>
              {getUploadError(upload.file) === undefined && (
                <Button size="small" onClick={() => void retry(upload)}>
                  Try again
                </Button>
              )}
              <Button size="small" variant="quiet" onClick={() => remove(upload.id)}>
                Dismiss
              </Button>
            </>
          )}
        </div>
      ))}
      <Button size="small" icon={UploadIcon} disabledReason={reason} onClick={() => input.current?.click()}>
        {isMulti ? 'Add files' : hasFile ? 'Replace file' : 'Add file'}
        <span className="visually-hidden"> to {field.name}</span>
      </Button>
    </div>
  );
}
