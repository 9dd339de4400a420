import { Download, Eye, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { updateEntries } from '../../../api/generated/sdk.gen.ts';
import type { FieldValue, FileValueVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { Picture } from '../../../entries/files/Picture.tsx';
import { hasThumbnail, isPictured, readFile } from '../../../entries/files/read-file.ts';
import { UploadButton } from '../../../entries/files/UploadButton.tsx';
import type { Field } from '../../../entries/schema.ts';
import { isFile, itemsOf } from '../../../entries/values.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';

interface EntryFilesProps {
  entryId: number;
  field: Field;
  value: FieldValue | undefined;
  /** Whether the entry is still there: else its files are named, and no more. */
  canRead: boolean;
}

const unit = (name: 'byte' | 'kilobyte') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit: name, maximumFractionDigits: 1 });
const bytes = unit('byte');
const kilobytes = unit('kilobyte');
const sizeWords = (size: number): string =>
  size < 1000 ? bytes.format(size) : kilobytes.format(size / 1000);

/** The files of a field: what they are, to look at, to keep, to take away, and to add others. */
export function EntryFiles({ entryId, field, value, canRead }: EntryFilesProps) {
  const files = itemsOf(value).filter(isFile);
  return (
    <div className="fl-list">
      {files.length === 0 && <span className="ent-quiet">No data</span>}
      {files.map((file) => (
        <OneFile key={file.id} {...{ entryId, field, file, files, canRead }} />
      ))}
      {canRead && <UploadButton {...{ entryId, field }} isHeld={files.length > 0} />}
    </div>
  );
}

interface OneFileProps extends Omit<EntryFilesProps, 'value'> {
  file: FileValueVm;
  files: readonly FileValueVm[];
}

function OneFile({ entryId, field, file, files, canRead }: OneFileProps) {
  const [shown, setShown] = useState(false);
  const gone = canRead ? undefined : 'Files of a deleted entry are not handed out';
  return (
    <div className="fl-file">
      {canRead && hasThumbnail(file) && <Picture {...{ entryId, file }} fieldId={field.id} small />}
      <bdi>{file.name}</bdi>
      <span className="ent-quiet">
        {field.isMultiSelect && `No. ${file.seqNumber}, `}
        {file.contentType}, {sizeWords(file.size)}
      </span>
      <DownloadButton {...{ entryId, field, file }} refusal={gone} />
      {isPictured(file) && (
        <Button
          size="small"
          icon={Eye}
          disabledReason={gone}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Preview'}
          <span className="visually-hidden"> {file.name}</span>
        </Button>
      )}
      {canRead && <RemoveButton {...{ entryId, field, file, files }} />}
      {shown && <Picture {...{ entryId, file }} fieldId={field.id} />}
    </div>
  );
}

interface FileButtonProps {
  entryId: number;
  field: Field;
  file: FileValueVm;
}

function DownloadButton({
  entryId,
  field,
  file,
  refusal,
}: FileButtonProps & { refusal: string | undefined }) {
  const [pending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      saveFile(file.name, await readFile(entryId, field.id, file.seqNumber));
    } catch (thrown) {
      toast({
        title: `${file.name} could not be read`,
        description: toServiceError(thrown).message,
        tone: 'bad',
      });
    } finally {
      setPending(false);
    }
  };
  return (
    <Button
      size="small"
      icon={Download}
      pending={pending}
      disabledReason={refusal}
      onClick={() => void save()}
    >
      Download<span className="visually-hidden"> {file.name}</span>
    </Button>
  );
}

function RemoveButton({ entryId, field, file, files }: FileButtonProps & { files: readonly FileValueVm[] }) {
  const { reason } = useAllowed('updateEntries');
  const removal = useWrite('updateEntries', {
    mutationFn: () => {
      const ids = files.map(({ id }) => id);
      const kept = ids.filter((id) => id !== file.id);
      const value = kept.length === 0 ? null : kept;
      return updateEntries({
        path: { entryTypeId: String(field.entryTypeId) },
        body: { storeRequests: [{ entryId, fieldId: field.id, value, expected: { value: ids } }] },
      });
    },
  });
  const remove = async () => {
    const done = await confirm({
      title: `Remove ${file.name}?`,
      body: `It is taken out of ${field.name} at once. To bring it back, it has to be uploaded again.`,
      action: 'Remove file',
      danger: true,
      run: () => removal.mutateAsync(),
    });
    if (done) toast({ title: `${file.name} was removed` });
  };
  return (
    <Button size="small" icon={Trash2} disabledReason={reason} onClick={() => void remove()}>
      Remove<span className="visually-hidden"> {file.name}</span>
    </Button>
  );
}
