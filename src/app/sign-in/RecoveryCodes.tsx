import { Download } from 'lucide-react';
import { useEffect } from 'react';
import { saveFile } from '../../files/download.ts';
import { Button } from '../../ui/button/Button.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { guardStagedWork } from '../../ui/dialog/unsaved-work.ts';
import { focusFirstButton } from './focus.ts';
import './access.css';

interface RecoveryCodesProps {
  codes: readonly string[];
  /** E-mail of the user, written to the downloaded file. */
  email?: string | undefined;
  /** Label of the button that continues. */
  doneLabel: string;
  onDone: () => void;
}

/** Shows the recovery codes once, to copy or download. */
export function RecoveryCodes({ codes, email, doneLabel, onDone }: RecoveryCodesProps) {
  // They exist nowhere else, so a reload asks first.
  useEffect(() => guardStagedWork(), []);
  const text = `${codes.join('\n')}\n`;
  const save = () =>
    saveFile(
      'steward-recovery-codes.txt',
      `Recovery codes${email === undefined ? '' : ` of ${email}`}\n\n${text}`,
      'text/plain',
    );
  return (
    <div className="form" ref={focusFirstButton}>
      <div className="form-body">
        <p>
          Each of these codes replaces the second factor once. Store them where you can find them without this
          device. They are not shown again.
        </p>
        <div className="codes">
          <ul>
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <CopyButton value={text} label="Copy the recovery codes" />
        </div>
      </div>
      <footer className="form-footer">
        <Button icon={Download} onClick={save}>
          Save as a file
        </Button>
        <Button variant="primary" onClick={onDone}>
          {doneLabel}
        </Button>
      </footer>
    </div>
  );
}
