import { formatSize } from '../../../lib/sizes.ts';

/** Formats a transfer speed: "3.1 MB/s". */
export const formatSpeed = (bytesPerSecond: number): string => `${formatSize(bytesPerSecond)}/s`;
