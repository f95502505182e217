import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** Options of a documented field that may be null. */
export const NULLABLE = { nullable: true } as const;

export function ApiUuid(description: string, options: ApiPropertyOptions = {}): PropertyDecorator {
  const example = '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11';
  return ApiProperty({
    description,
    type: String,
    format: 'uuid',
    example,
    ...options,
  });
}

/** ISO 8601 in UTC. */
export function ApiInstant(description: string, options: ApiPropertyOptions = {}): PropertyDecorator {
  const example = '2026-11-20T09:00:00.000Z';
  return ApiProperty({
    description,
    type: String,
    format: 'date-time',
    example,
    ...options,
  });
}

export function ApiCount(description: string, options: ApiPropertyOptions = {}): PropertyDecorator {
  return ApiProperty({
    description,
    type: 'integer',
    minimum: 0,
    example: 12,
    ...options,
  });
}

export function ApiText(
  description: string,
  example: string,
  options: ApiPropertyOptions = {},
): PropertyDecorator {
  return ApiProperty({ description, type: String, example, ...options });
}
