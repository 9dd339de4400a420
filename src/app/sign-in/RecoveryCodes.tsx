import { Download } from 'lucide-react';
import { saveFile } from '../../files/save-file.ts';
import { Button } from '../../ui/button/Button.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { focusFirstButton } from './focus.ts';
import './access.css';

interface RecoveryCodesProps {
  codes: readonly string[];
  /** Whose they are: stands in the file. */
  email?: string | undefined;
  /** The verb on the button that goes on. */
  done: string;
  onDone: () => void;
}

/** Recovery codes, this once: to copy, to keep as a file. */
export function RecoveryCodes({ codes, email, done, onDone }: RecoveryCodesProps) {
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
          Each of these codes opens your account once, in place of the second factor. Keep them where you will
          find them without this device. They are not shown again.
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
          {done}
        </Button>
      </footer>
    </div>
  );
}
