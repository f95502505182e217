{{- define "repotide.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* Security context that the "restricted" Pod Security Standard requires of a pod. */}}
{{- define "repotide.podSecurityContext" -}}
runAsNonRoot: true
{{- range $key := list "runAsUser" "runAsGroup" "fsGroup" }}
{{- with index $.Values.securityContext $key }}
{{ $key }}: {{ int64 . }}
{{- end }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* The same for a container, with a read-only root file system in addition. */}}
{{- define "repotide.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/*
Spec of every pod of the service. Takes root, command (serve or migrate), name (of the chart's own ConfigMap and Secret),
resources, and for the pods of a Deployment roles and component.
*/}}
{{- define "repotide.podSpec" -}}
{{- $values := .root.Values }}
{{- if .component }}
serviceAccountName: {{ include "repotide.serviceAccountName" .root }}
automountServiceAccountToken: {{ $values.podWatch.enabled }}
{{- else }}
# The release's ServiceAccount does not exist yet when the hook runs, and the hook needs no access.
automountServiceAccountToken: false
{{- end }}
# A Service named redis would set REDIS_PORT to a URL.
enableServiceLinks: false
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- include "repotide.podSecurityContext" .root | nindent 2 }}
{{- if .component }}
terminationGracePeriodSeconds: {{ int64 $values.shutdown.terminationGracePeriodSeconds }}
{{- include "repotide.topologySpread" . }}
{{- else }}
restartPolicy: Never
{{- end }}
{{- with $values.pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.pod.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with $values.pod.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.pod.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.pod.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: repotide
    image: {{ include "repotide.image" .root }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: [{{ .command }}]
    env:
      {{- include "repotide.env" . | trim | nindent 6 }}
    envFrom:
      {{- include "repotide.envFrom" . | nindent 6 }}
      {{- with $values.extraEnvFrom }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    # The last lines of the log become the pod's message, which kubectl describe shows.
    terminationMessagePolicy: FallbackToLogsOnError
    {{- if .component }}
    ports:
      - name: http
        containerPort: {{ include "repotide.port" .root }}
      - name: metrics
        containerPort: {{ include "repotide.metricsPort" .root }}
    {{- include "repotide.probes" .root | trim | nindent 4 }}
    {{- if $values.shutdown.preStopSleepSeconds }}
    lifecycle:
      preStop:
        sleep:
          seconds: {{ int64 $values.shutdown.preStopSleepSeconds }}
    {{- end }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      {{- include "repotide.containerSecurityContext" .root | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- if and .component $values.config.resources }}
      # A folder, because a file that is mounted alone would not follow a change of the ConfigMap.
      - name: resources
        mountPath: /etc/repotide/resources
        readOnly: true
      {{- end }}
      {{- range $server, $secret := $values.clientCertificates }}
      {{- if $secret }}
      - name: tls-{{ $server }}
        mountPath: /etc/repotide/tls/{{ $server }}
        readOnly: true
      {{- end }}
      {{- end }}
      {{- with $values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- if .component }}
  {{- with $values.pod.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir:
      {{- /* Objects that runs read through git: at most 512 MiB for each of WORKER_CONCURRENCY runs, and GIT_CACHE_MAX_BYTES. */}}
      sizeLimit: 4Gi
  {{- if and .component $values.config.resources }}
  - name: resources
    configMap:
      name: {{ include "repotide.fullname" .root }}-resources
  {{- end }}
  {{- range $server, $secret := $values.clientCertificates }}
  {{- if $secret }}
  - name: tls-{{ $server }}
    secret:
      secretName: {{ $secret }}
      # The group of the volumes may read the key, and nobody else.
      defaultMode: 0440
  {{- end }}
  {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "repotide.probes" -}}
startupProbe:
  httpGet:
    path: /health/live
    port: http
  {{- include "repotide.integers" .Values.probes.startup | trim | nindent 2 }}
readinessProbe:
  httpGet:
    path: /health/ready
    port: http
  {{- include "repotide.integers" .Values.probes.readiness | trim | nindent 2 }}
livenessProbe:
  httpGet:
    path: /health/live
    port: http
  {{- include "repotide.integers" .Values.probes.liveness | trim | nindent 2 }}
{{- end }}

{{- define "repotide.integers" -}}
{{- range $key, $value := . }}
{{ $key }}: {{ int64 $value }}
{{- end }}
{{- end }}

{{- define "repotide.topologySpread" -}}
{{- $spread := .root.Values.topologySpread }}
{{- if $spread.enabled }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: {{ $spread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "repotide.selectorLabels" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
    # Only pods of the same revision count, so that the pods are spread evenly after a rolling update.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}
