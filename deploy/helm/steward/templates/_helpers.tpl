{{- define "steward.name" -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "steward.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "steward.labels" -}}
{{ include "steward.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
{{- end }}

{{- define "steward.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- /* An environment variable from a secret: (dict "name" NAME "secret" (dict "name" … "key" …)). */}}
{{- define "steward.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ required (printf "secrets: %s needs the name of a secret" .name) .secret.name | quote }}
      key: {{ .secret.key | quote }}
{{- end }}

{{- /* As the systemd unit: a user of its own without capabilities, and a system that cannot be written. */}}
{{- define "steward.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "steward.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "steward.claim" -}}
{{ .Values.persistence.existingClaim | default (include "steward.name" .) }}
{{- end }}
