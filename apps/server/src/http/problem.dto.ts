import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class FieldErrorDto {
  @ApiProperty({ description: 'Name of the refused field or parameter.', example: 'cron_expression' })
  field!: string;

  @ApiProperty({ description: 'What was expected.', example: 'cron_expression must be a string.' })
  message!: string;

  @ApiPropertyOptional({
    description: 'What was given; left out when it is missing, large or may be a secret.',
    oneOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }],
    example: '61 * * * *',
  })
  found?: unknown;
}

/** RFC 9457 problem details. */
export class ProblemDto {
  @ApiProperty({
    description: 'Names the kind of problem; ends in `code`.',
    format: 'uri',
    example: 'urn:repotide:problem:repository_not_found',
  })
  type!: string;

  @ApiProperty({ description: 'The meaning of the HTTP status.', example: 'Not Found' })
  title!: string;

  @ApiProperty({ description: 'The HTTP status.', type: 'integer', example: 404 })
  status!: number;

  @ApiProperty({
    description: 'What was found, what was expected and what to change.',
    example: 'There is no repository 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11.',
  })
  detail!: string;

  @ApiProperty({ description: 'Stable name for programs.', example: 'repository_not_found' })
  code!: string;

  @ApiProperty({
    description: 'Path of the request.',
    format: 'uri-reference',
    example: '/api/v1/repositories/0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11',
  })
  instance!: string;

  @ApiProperty({
    description: 'Also in the `X-Request-Id` header and on the log lines of this request.',
    example: '5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31',
  })
  request_id!: string;

  @ApiPropertyOptional({ description: 'Each refused field.', type: [FieldErrorDto] })
  errors?: FieldErrorDto[];
}

/** The problem of a repository that is busy: it names the holder. */
export class RunInProgressProblemDto extends ProblemDto {
  @ApiProperty({ description: 'The execution that holds the repository.', format: 'uuid' })
  execution_id!: string;

  @ApiProperty({
    description: 'The pod that runs it; null while it is queued.',
    type: String,
    nullable: true,
    example: 'repotide-0',
  })
  pod_name!: string | null;

  @ApiProperty({
    description: 'When it started; null while it is queued.',
    type: String,
    format: 'date-time',
    nullable: true,
  })
  started_at!: string | null;
}
