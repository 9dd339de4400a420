export const PRESETS = ['today', 'yesterday', '7', '30', '90'] as const;
export type Preset = (typeof PRESETS)[number];

/** A period that somebody asks for: one that moves along with the time, or one between two moments. */
export type Range = { preset: Preset } | { from: number; to: number | undefined };

export const DEFAULT_PRESET: Preset = '7';
