import { Search, X } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../button/IconButton.tsx';
import './form.css';
import './search.css';

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  /** Pasted text with several lines or commas; a list of people to look up. */
  onPasteList?: (text: string) => void;
  /** The typing is over: the person goes on to something else. */
  onLeave?: () => void;
}

/** Narrows a list while one types; Escape empties it. */
export function SearchField({ label, placeholder, value, onChange, onPasteList, onLeave }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const clear = () => {
    onChange('');
    input.current?.focus();
  };
  return (
    <search className="search">
      <Search />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={label}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onLeave}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return;
          event.preventDefault();
          clear();
        }}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text');
          if (!onPasteList || !/[\n,;]/.test(text.trim())) return;
          event.preventDefault();
          onPasteList(text);
        }}
      />
      {value !== '' && <IconButton label="Clear search" icon={X} size="small" onClick={clear} />}
    </search>
  );
}
