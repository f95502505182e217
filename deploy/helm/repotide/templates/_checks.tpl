{{/* Combinations that the schema cannot check. Each message says which value to change. */}}
{{- define "repotide.checks" -}}
{{- include "repotide.checkGracePeriod" . }}
{{- include "repotide.checkDatabase" . }}
{{- include "repotide.checkAutoscaling" . }}
{{- include "repotide.checkTrial" . }}
{{- include "repotide.checkSecrets" . }}
{{- if and (eq .Values.image.tag "latest") (not .Values.image.digest) }}
{{- fail "image.tag is latest, which may be another image tomorrow. Set it to a version, or set image.digest." }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
{{- fail "ingress.hosts is empty, but ingress.enabled is true: name at least one host, e.g. repotide.example.com." }}
{{- end }}
{{- if and .Values.config.resources .Values.config.DECLARED_RESOURCES }}
{{- fail "config.resources and config.DECLARED_RESOURCES are both set: config.resources is mounted into the pods and sets DECLARED_RESOURCES. Remove one of them." }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
{{- fail "httpRoute.parentRefs is empty, but httpRoute.enabled is true: name the Gateway, e.g. [{name: public, namespace: gateways}]." }}
{{- end }}
{{- end }}

{{- define "repotide.checkGracePeriod" -}}
{{- $shutdown := .Values.shutdown }}
{{- $grace := int64 (hasKey .Values.config "SHUTDOWN_GRACE_SECONDS" | ternary .Values.config.SHUTDOWN_GRACE_SECONDS 60) }}
{{- $needed := add (int64 $shutdown.preStopSleepSeconds) $grace }}
{{- if le (int64 $shutdown.terminationGracePeriodSeconds) $needed }}
{{- fail (printf "shutdown.terminationGracePeriodSeconds is %d, but must be more than shutdown.preStopSleepSeconds (%d) + config.SHUTDOWN_GRACE_SECONDS (%d): Kubernetes would kill runs before they reach a checkpoint. Set it to %d or more." (int64 $shutdown.terminationGracePeriodSeconds) (int64 $shutdown.preStopSleepSeconds) $grace (add $needed 5)) }}
{{- end }}
{{- end }}

{{- define "repotide.checkDatabase" -}}
{{- $secrets := .Values.secrets }}
{{- if not (or $secrets.existingSecret .Values.trial.enabled (hasKey $secrets.from "DATABASE_URL") (hasKey $secrets.values "DATABASE_URL")) }}
{{- fail "DATABASE_URL is not set, and the image contains no Postgres: set secrets.existingSecret, secrets.from.DATABASE_URL or secrets.values.DATABASE_URL." }}
{{- end }}
{{- end }}

{{/*
Pods wait for a missing Secret without a word, and so does Helm. `lookup` finds nothing in `helm template`, so the check
needs an object that exists in every namespace.
*/}}
{{- define "repotide.checkSecrets" -}}
{{- $namespace := .Release.Namespace }}
{{- if and .Values.secrets.checkExisting (lookup "v1" "ServiceAccount" $namespace "default") }}
{{- $names := compact (list .Values.secrets.existingSecret) }}
{{- range .Values.secrets.from }}
{{- $names = append $names .name }}
{{- end }}
{{- $names = concat $names (compact (values .Values.clientCertificates)) }}
{{- range uniq $names }}
{{- if not (lookup "v1" "Secret" $namespace .) }}
{{- fail (printf "The Secret %s does not exist in namespace %s, and the pods cannot start without it. Create it, correct secrets.existingSecret, secrets.from or clientCertificates, or set secrets.checkExisting=false if something creates it during the installation." . $namespace) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "repotide.checkAutoscaling" -}}
{{- range $component, $scaling := .Values.autoscaling }}
{{- if $scaling.enabled }}
{{- if ne $.Values.layout "split" }}
{{- fail (printf "autoscaling.%s.enabled needs layout: split, because each pod of the combined layout has every role." $component) }}
{{- end }}
{{- if gt (int64 $scaling.minReplicas) (int64 $scaling.maxReplicas) }}
{{- fail (printf "autoscaling.%s.minReplicas (%d) is above autoscaling.%s.maxReplicas (%d)." $component (int64 $scaling.minReplicas) $component (int64 $scaling.maxReplicas)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "repotide.checkTrial" -}}
{{- if .Values.trial.enabled }}
{{- if not .Values.trial.password }}
{{- fail "trial.password is empty, but trial.enabled is true: set it, e.g. to the output of openssl rand -hex 16." }}
{{- end }}
{{- if .Values.migration.enabled }}
{{- fail "migration.enabled must be false with trial.enabled: the hook would wait for a Postgres that the chart starts only after it." }}
{{- end }}
{{- end }}
{{- end }}
