/** The meanings a colour may have. */
export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad' | 'info';
