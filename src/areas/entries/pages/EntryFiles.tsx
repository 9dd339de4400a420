import { useQuery, queryOptions } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Download, Eye, EyeOff, File, Trash2 } from 'lucide-react';
import { useState, Suspense } from 'react';
import type { FieldValue, FileValueVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { updateEntries } from '../../../api/generated/sdk/entry-writes.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { saveFile } from '../../../files/download.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { PdfSource } from '../../../ui/pdf/pdf-document.ts';
import { toast } from '../../../ui/toast.ts';
import { hasImageThumbnail, isPdf, isShownImage } from '../files/file-kind.ts';
import { loadEntryFile, useObjectUrl } from '../files/load-file.ts';
import { createEntryFileSource } from '../files/pdf-source.ts';
import { UploadButton } from '../files/UploadButton.tsx';
import type { Field } from '../model/schema.ts';
import { isFile, toItems } from '../model/values.ts';
import '../files/files.css';

const PdfDialog = lazyWithPreload(() => import('../../../ui/pdf/PdfDialog.tsx'));

interface EntryFilesProps {
  entryId: number;
  field: Field;
  value: FieldValue | undefined;
  /** Whether the content of the files can be loaded; that of deleted entries cannot. */
  canRead: boolean;
}

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;

/** Formats a file size in bytes: "71 bytes", "1.2 MB". */
function formatFileSize(size: number): string {
  const exponent = size < 1000 ? 0 : size < 1_000_000 ? 1 : 2;
  const unitDisplay = exponent === 0 ? 'long' : 'short';
  const format = { style: 'unit', unit: UNITS[exponent], unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, format).format(size / 1000 ** exponent);
}

/** The files of a field with preview, download, order, removal and upload. */
export function EntryFiles({ entryId, field, value, canRead }: EntryFilesProps) {
  const files = toItems(value).filter(isFile);
  return (
    <div className="fl-list">
      {files.length === 0 && <span className="ent-quiet">No data</span>}
      {files.length > 0 && (
        <ul className="fl-files" aria-label={`Files of ${field.name}`}>
          {files.map((file) => (
            <FileItem key={file.id} {...{ entryId, field, file, files, canRead }} />
          ))}
        </ul>
      )}
      {canRead && <UploadButton {...{ entryId, field }} hasFile={files.length > 0} />}
    </div>
  );
}

interface FileItemProps extends Omit<EntryFilesProps, 'value'> {
  file: FileValueVm;
  files: readonly FileValueVm[];
}

function FileItem({ entryId, field, file, files, canRead }: FileItemProps) {
  const [isOpen, setIsOpen] = useState(false);
  const refusal = canRead ? undefined : 'Files of deleted entries are not available';
  return (
    <li className="fl-file">
      {canRead && hasImageThumbnail(file) ? (
        <Picture {...{ entryId, file }} fieldId={field.id} small />
      ) : (
        <span className="fl-thumb">
          <File />
        </span>
      )}
      <div className="fl-name">
        <bdi>{file.name}</bdi>
        <span className="ent-quiet">
          {field.isMultiSelect && `No. ${file.seqNumber}, `}
          {file.contentType}, {formatFileSize(file.size)}
        </span>
      </div>
      <div className="fl-acts">
        {isShownImage(file) && (
          <IconButton
            label={`${isOpen ? 'Hide' : 'Preview'} ${file.name}`}
            icon={isOpen ? EyeOff : Eye}
            size="small"
            disabledReason={refusal}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          />
        )}
        {isPdf(file) && <PdfButton {...{ entryId, field, file, refusal }} />}
        {isOfficeFile(file) && (
          <IconButton
            label={`Preview ${file.name}`}
            icon={Eye}
            size="small"
            disabledReason="Office files have no preview. Download the file to open it."
          />
        )}
        <DownloadButton {...{ entryId, field, file, refusal }} />
        {canRead && files.length > 1 && <MoveButtons {...{ entryId, field, file, files }} />}
        {canRead && <RemoveButton {...{ entryId, field, file, files }} />}
      </div>
      {isOpen && <Picture {...{ entryId, file }} fieldId={field.id} />}
    </li>
  );
}

interface FileButtonProps {
  entryId: number;
  field: Field;
  file: FileValueVm;
}

interface ReadButtonProps extends FileButtonProps {
  /** Why the content cannot be loaded. */
  refusal: string | undefined;
}

/** Downloads a file; a failure is shown as a message. */
async function downloadFile({ entryId, field, file }: FileButtonProps): Promise<void> {
  try {
    saveFile(file.name, await loadEntryFile({ entryId, fieldId: field.id, seqNumber: file.seqNumber }));
  } catch (thrown) {
    toast({
      title: `${file.name} could not be loaded`,
      description: toServiceError(thrown).message,
      tone: 'bad',
    });
  }
}

/** Opens the viewer, whose code is loaded on intent. */
function PdfButton({ refusal, ...target }: ReadButtonProps) {
  const { entryId, field, file } = target;
  const [source, setSource] = useState<PdfSource>();
  return (
    <>
      <IconButton
        label={`Preview ${file.name}`}
        icon={Eye}
        size="small"
        disabledReason={refusal}
        onPointerEnter={PdfDialog.preload}
        onFocus={PdfDialog.preload}
        onClick={() => setSource(createEntryFileSource(entryId, field.id, file))}
      />
      {source && (
        <Suspense>
          <PdfDialog
            source={source}
            onDownload={() => void downloadFile(target)}
            onClose={() => setSource(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

function DownloadButton({ refusal, ...target }: ReadButtonProps) {
  const { file } = target;
  const [pending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    await downloadFile(target);
    setPending(false);
  };
  return (
    <IconButton
      label={`Download ${file.name}`}
      icon={Download}
      size="small"
      pending={pending}
      disabledReason={refusal}
      onClick={() => void save()}
    />
  );
}

const getIds = (files: readonly FileValueVm[]) => files.map(({ id }) => id);

/** Stores a new list of files in order; refused if the stored list differs from the displayed one. */
const useFilesWrite = (entryId: number, field: Field, files: readonly FileValueVm[]) =>
  useWrite('updateEntries', {
    mutationFn: (newFiles: readonly FileValueVm[]) => {
      const value = newFiles.length === 0 ? null : getIds(newFiles);
      return updateEntries({
        path: { entryTypeId: String(field.entryTypeId) },
        body: { storeRequests: [{ entryId, fieldId: field.id, value, expected: { value: getIds(files) } }] },
      });
    },
  });

interface StoredFileProps extends FileButtonProps {
  files: readonly FileValueVm[];
}

/** Buttons that move a file within its field, whose order gives the files their `seqNumber`. */
function MoveButtons({ entryId, field, file, files }: StoredFileProps) {
  const { reason } = usePermission('updateEntries');
  const reorder = useFilesWrite(entryId, field, files);
  const index = files.indexOf(file);
  const move = (direction: -1 | 1) =>
    reorder.mutate(files.toSpliced(index, 1).toSpliced(index + direction, 0, file), {
      onSuccess: () => announce(`${file.name} is number ${index + 1 + direction} of ${files.length}`),
      onError: (thrown) => toastFailedWrite('The order', 'changed', thrown),
    });
  return (
    <>
      <IconButton
        label={`Move ${file.name} up`}
        icon={ArrowUp}
        size="small"
        pending={reorder.isPending}
        disabledReason={reason ?? (index === 0 ? 'This is the first file' : undefined)}
        onClick={() => move(-1)}
      />
      <IconButton
        label={`Move ${file.name} down`}
        icon={ArrowDown}
        size="small"
        pending={reorder.isPending}
        disabledReason={reason ?? (index === files.length - 1 ? 'This is the last file' : undefined)}
        onClick={() => move(1)}
      />
    </>
  );
}

function RemoveButton({ entryId, field, file, files }: StoredFileProps) {
  const { reason } = usePermission('updateEntries');
  const removal = useFilesWrite(entryId, field, files);
  const remove = async () => {
    const isDone = await confirm({
      title: `Remove ${file.name}?`,
      body: `It is removed from ${field.name} at once. To restore it, you have to upload it again.`,
      action: 'Remove file',
      danger: true,
      run: () => removal.mutateAsync(files.filter((other) => other !== file)),
    });
    if (isDone) toast({ title: `${file.name} was removed` });
  };
  return (
    <IconButton
      label={`Remove ${file.name}`}
      icon={Trash2}
      size="small"
      disabledReason={reason}
      onClick={() => void remove()}
    />
  );
}

interface PictureProps {
  entryId: number;
  fieldId: number;
  file: FileValueVm;
  /** Decorative thumbnail beside the name. */
  small?: boolean;
}

/** An image file, loaded when rendered. */
function Picture({ entryId, fieldId, file, small = false }: PictureProps) {
  const { data, error } = useQuery(fileQuery(entryId, fieldId, file));
  const url = useObjectUrl(data);
  if (error && !small) return <span className="field-error">{toServiceError(error).message}</span>;
  if (small) return <span className="fl-thumb">{url !== undefined && <img src={url} alt="" />}</span>;
  return url === undefined ? (
    <span className="ent-quiet">Loading the image</span>
  ) : (
    <img className="fl-preview" src={url} alt={file.name} />
  );
}

/** Detected by name: the content of most of them is a ZIP file. */
const isOfficeFile = ({ name }: FileValueVm): boolean => /\.(docx?|xlsx?|pptx?|od[tsp]|rtf)$/i.test(name);

/** Query options of a file's content, cached while displayed. The content of a file never changes. */
const fileQuery = (entryId: number, fieldId: number, file: FileValueVm) =>
  queryOptions({
    queryKey: [{ content: file.id, entryId, fieldId }],
    queryFn: ({ signal }) => loadEntryFile({ entryId, fieldId, seqNumber: file.seqNumber }, signal),
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });
