%struct.Shaded = type { i32, [3 x float] }

@__const.mean_color.veil = private unnamed_addr constant %struct.Shaded { i32 -1, [3 x float] zeroinitializer }, align 4
@__const.shadow_on_ground.along = private unnamed_addr constant [3 x float] [float 0.000000e+00, float 0.000000e+00, float -1.000000e+00], align 4

define void @clear_buffer(ptr nocapture noundef readonly %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds i8, ptr %0, i64 8
  %3 = load i64, ptr %2, align 8
  %4 = icmp sgt i64 %3, 0
  br i1 %4, label %5, label %8

5:
  %6 = getelementptr inbounds i8, ptr %0, i64 32
  %7 = getelementptr inbounds i8, ptr %0, i64 16
  br label %9

8:
  ret void

9:
  %10 = phi i64 [ 0, %5 ], [ %29, %26 ]
  %11 = load ptr, ptr %6, align 8
  %12 = shl nsw i64 %10, 3
  %13 = getelementptr inbounds i8, ptr %11, i64 %12
  %14 = load ptr, ptr %7, align 8
  %15 = load i64, ptr %0, align 8
  %16 = mul nsw i64 %15, %10
  %17 = getelementptr inbounds float, ptr %14, i64 %16
  %18 = load i32, ptr %13, align 4
  %19 = getelementptr inbounds i8, ptr %13, i64 4
  %20 = load i32, ptr %19, align 4
  %21 = icmp sgt i32 %18, %20
  br i1 %21, label %26, label %22

22:
  %23 = sext i32 %18 to i64
  br label %32

24:
  %25 = load i64, ptr %0, align 8
  br label %26

26:
  %27 = phi i64 [ %25, %24 ], [ %15, %9 ]
  %28 = trunc i64 %27 to i32
  store i32 %28, ptr %13, align 4
  store i32 -1, ptr %19, align 4
  %29 = add nuw nsw i64 %10, 1
  %30 = load i64, ptr %2, align 8
  %31 = icmp slt i64 %29, %30
  br i1 %31, label %9, label %8

32:
  %33 = phi i64 [ %35, %32 ], [ %23, %22 ]
  %34 = getelementptr inbounds float, ptr %17, i64 %33
  store float 0.000000e+00, ptr %34, align 4
  %35 = add nsw i64 %33, 1
  %36 = load i32, ptr %19, align 4
  %37 = sext i32 %36 to i64
  %38 = icmp slt i64 %33, %37
  br i1 %38, label %32, label %24
}

define void @widen_spans(ptr nocapture noundef readonly %0, i64 noundef %1, ptr nocapture noundef writeonly %2) local_unnamed_addr #2 {
  %4 = getelementptr inbounds i8, ptr %0, i64 8
  %5 = load i64, ptr %4, align 8
  %6 = icmp sgt i64 %5, 0
  br i1 %6, label %7, label %10

7:
  %8 = getelementptr inbounds i8, ptr %0, i64 32
  %9 = trunc i64 %1 to i32
  br label %11

10:
  ret void

11:
  %12 = phi i64 [ %5, %7 ], [ %36, %26 ]
  %13 = phi i64 [ 0, %7 ], [ %35, %26 ]
  %14 = icmp sgt i64 %13, %1
  %15 = sub nsw i64 %13, %1
  %16 = select i1 %14, i64 %15, i64 0
  %17 = add nsw i64 %13, %1
  %18 = icmp slt i64 %17, %12
  %19 = add nsw i64 %12, -1
  %20 = select i1 %18, i64 %17, i64 %19
  %21 = load i64, ptr %0, align 8
  %22 = trunc i64 %21 to i32
  %23 = icmp sgt i64 %16, %20
  br i1 %23, label %26, label %24

24:
  %25 = load ptr, ptr %8, align 8
  br label %38

26:
  %27 = phi i32 [ %22, %11 ], [ %45, %38 ]
  %28 = phi i32 [ -1, %11 ], [ %48, %38 ]
  %29 = sub nsw i32 %27, %9
  %30 = shl nuw nsw i64 %13, 1
  %31 = getelementptr inbounds i32, ptr %2, i64 %30
  store i32 %29, ptr %31, align 4
  %32 = add nsw i32 %28, %9
  %33 = or disjoint i64 %30, 1
  %34 = getelementptr inbounds i32, ptr %2, i64 %33
  store i32 %32, ptr %34, align 4
  %35 = add nuw nsw i64 %13, 1
  %36 = load i64, ptr %4, align 8
  %37 = icmp slt i64 %35, %36
  br i1 %37, label %11, label %10

38:
  %39 = phi i64 [ %16, %24 ], [ %49, %38 ]
  %40 = phi i32 [ -1, %24 ], [ %48, %38 ]
  %41 = phi i32 [ %22, %24 ], [ %45, %38 ]
  %42 = shl nsw i64 %39, 3
  %43 = getelementptr inbounds i8, ptr %25, i64 %42
  %44 = load i32, ptr %43, align 4
  %45 = tail call i32 @llvm.smin.i32(i32 %44, i32 %41)
  %46 = getelementptr inbounds i8, ptr %43, i64 4
  %47 = load i32, ptr %46, align 4
  %48 = tail call i32 @llvm.smax.i32(i32 %47, i32 %40)
  %49 = add nsw i64 %39, 1
  %50 = icmp slt i64 %39, %20
  br i1 %50, label %38, label %26
}

define void @draw_triangles(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, ptr nocapture noundef readonly %2, ptr nocapture noundef readonly %3, i64 noundef %4, i64 noundef %5) local_unnamed_addr #0 {
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = alloca [2 x [2 x float]], align 16
  %10 = alloca [2 x [2 x float]], align 16
  %11 = alloca [2 x i32], align 8
  %12 = load i64, ptr %0, align 8
  %13 = icmp slt i64 %4, %5
  br i1 %13, label %14, label %37

14:
  %15 = getelementptr inbounds i8, ptr %0, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds i8, ptr %0, i64 40
  %18 = sitofp i64 %12 to float
  %19 = sitofp i64 %16 to float
  %20 = add nsw i64 %12, -1
  %21 = sitofp i64 %20 to float
  %22 = add nsw i64 %16, -1
  %23 = sitofp i64 %22 to float
  %24 = getelementptr inbounds i8, ptr %7, i64 4
  %25 = getelementptr inbounds i8, ptr %7, i64 8
  %26 = getelementptr inbounds i8, ptr %8, i64 4
  %27 = getelementptr inbounds i8, ptr %8, i64 8
  %28 = getelementptr inbounds i8, ptr %9, i64 4
  %29 = getelementptr inbounds i8, ptr %9, i64 8
  %30 = getelementptr inbounds i8, ptr %9, i64 12
  %31 = getelementptr inbounds i8, ptr %10, i64 4
  %32 = getelementptr inbounds i8, ptr %10, i64 8
  %33 = getelementptr inbounds i8, ptr %10, i64 12
  %34 = getelementptr inbounds i8, ptr %0, i64 32
  %35 = getelementptr inbounds i8, ptr %0, i64 16
  %36 = getelementptr inbounds i8, ptr %0, i64 24
  br label %38

37:
  ret void

38:
  %39 = phi i64 [ %4, %14 ], [ %297, %296 ]
  %40 = mul i64 %39, 12
  %41 = getelementptr inbounds i8, ptr %2, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = mul nsw i32 %42, 3
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds float, ptr %1, i64 %44
  %46 = getelementptr i8, ptr %41, i64 4
  %47 = load i32, ptr %46, align 4
  %48 = mul nsw i32 %47, 3
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds float, ptr %1, i64 %49
  %51 = getelementptr i8, ptr %41, i64 8
  %52 = load i32, ptr %51, align 4
  %53 = mul nsw i32 %52, 3
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds float, ptr %1, i64 %54
  %56 = load float, ptr %50, align 4
  %57 = load float, ptr %45, align 4
  %58 = fsub float %56, %57
  %59 = getelementptr inbounds i8, ptr %55, i64 4
  %60 = load float, ptr %59, align 4
  %61 = getelementptr inbounds i8, ptr %45, i64 4
  %62 = load float, ptr %61, align 4
  %63 = fsub float %60, %62
  %64 = getelementptr inbounds i8, ptr %50, i64 4
  %65 = load float, ptr %64, align 4
  %66 = fsub float %65, %62
  %67 = load float, ptr %55, align 4
  %68 = fsub float %67, %57
  %69 = fneg float %66
  %70 = fmul float %68, %69
  %71 = tail call float @llvm.fmuladd.f32(float %58, float %63, float %70)
  %72 = tail call float @llvm.fabs.f32(float %71)
  %73 = fcmp ogt float %72, 0x3E112E0BE0000000
  br i1 %73, label %74, label %296

74:
  %75 = getelementptr inbounds i8, ptr %3, i64 %39
  %76 = load i8, ptr %75, align 1
  %77 = icmp eq i8 %76, 0
  br i1 %77, label %82, label %78

78:
  %79 = load float, ptr %17, align 8
  %80 = fmul float %71, %79
  %81 = fcmp ogt float %80, 0.000000e+00
  br i1 %81, label %296, label %82

82:
  %83 = fcmp olt float %56, %67
  %84 = select i1 %83, float %56, float %67
  %85 = fcmp olt float %57, %84
  %86 = select i1 %85, float %57, float %84
  %87 = fcmp ogt float %56, %67
  %88 = select i1 %87, float %56, float %67
  %89 = fcmp ogt float %57, %88
  %90 = select i1 %89, float %57, float %88
  %91 = fcmp olt float %65, %60
  %92 = select i1 %91, float %65, float %60
  %93 = fcmp olt float %62, %92
  %94 = select i1 %93, float %62, float %92
  %95 = fcmp ogt float %65, %60
  %96 = select i1 %95, float %65, float %60
  %97 = fcmp ogt float %62, %96
  %98 = select i1 %97, float %62, float %96
  %99 = fcmp oge float %90, 0.000000e+00
  %100 = fcmp oge float %98, 0.000000e+00
  %101 = select i1 %99, i1 %100, i1 false
  %102 = fcmp olt float %86, %18
  %103 = select i1 %101, i1 %102, i1 false
  %104 = fcmp olt float %94, %19
  %105 = select i1 %103, i1 %104, i1 false
  br i1 %105, label %106, label %296

106:
  %107 = fadd float %86, -5.000000e-01
  %108 = fcmp ogt float %107, 0.000000e+00
  %109 = select i1 %108, float %107, float 0.000000e+00
  %110 = fcmp olt float %109, %21
  %111 = select i1 %110, float %109, float %21
  %112 = fptosi float %111 to i64
  %113 = fadd float %90, 5.000000e-01
  %114 = fcmp ogt float %113, 0.000000e+00
  %115 = select i1 %114, float %113, float 0.000000e+00
  %116 = fcmp olt float %115, %21
  %117 = select i1 %116, float %115, float %21
  %118 = fptosi float %117 to i64
  %119 = fadd float %94, -5.000000e-01
  %120 = fcmp ogt float %119, 0.000000e+00
  %121 = select i1 %120, float %119, float 0.000000e+00
  %122 = fcmp olt float %121, %23
  %123 = select i1 %122, float %121, float %23
  %124 = fadd float %98, 5.000000e-01
  %125 = fcmp ogt float %124, 0.000000e+00
  %126 = select i1 %125, float %124, float 0.000000e+00
  %127 = fcmp olt float %126, %23
  %128 = select i1 %127, float %126, float %23
  %129 = fdiv float 1.000000e+00, %71
  %130 = fmul float %63, %129
  %131 = fsub float %57, %67
  %132 = fmul float %131, %129
  %133 = fsub float %62, %65
  %134 = fmul float %133, %129
  %135 = fmul float %58, %129
  %136 = getelementptr inbounds i8, ptr %50, i64 8
  %137 = load float, ptr %136, align 4
  %138 = getelementptr inbounds i8, ptr %45, i64 8
  %139 = load float, ptr %138, align 4
  %140 = getelementptr inbounds i8, ptr %55, i64 8
  %141 = load float, ptr %140, align 4
  %142 = fsub float %141, %139
  %143 = fmul float %134, %142
  %144 = fmul float %135, %142
  store float %130, ptr %7, align 4
  store float %134, ptr %24, align 4
  %145 = fneg float %130
  %146 = fsub float %145, %134
  store float %146, ptr %25, align 4
  store float %132, ptr %8, align 4
  store float %135, ptr %26, align 4
  %147 = fneg float %132
  %148 = fsub float %147, %135
  store float %148, ptr %27, align 4
  %149 = sitofp i64 %112 to float
  %150 = fadd float %149, 5.000000e-01
  %151 = fsub float %150, %57
  %152 = sitofp i64 %118 to float
  %153 = fadd float %152, 5.000000e-01
  %154 = fsub float %153, %57
  store float %151, ptr %9, align 16
  store float %151, ptr %28, align 4
  store float %154, ptr %29, align 8
  store float %154, ptr %30, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %10, i8 0, i64 16, i1 false)
  store i64 0, ptr %11, align 8
  br label %172

155:
  %156 = fptosi float %123 to i64
  %157 = fptosi float %128 to i64
  %158 = fsub float %137, %139
  %159 = tail call float @llvm.fmuladd.f32(float %158, float %130, float %143)
  %160 = tail call float @llvm.fmuladd.f32(float %158, float %132, float %144)
  %161 = icmp sgt i64 %156, %157
  br i1 %161, label %205, label %162

162:
  %163 = load float, ptr %9, align 16
  %164 = load float, ptr %10, align 16
  %165 = load float, ptr %28, align 4
  %166 = load float, ptr %31, align 4
  %167 = load float, ptr %29, align 8
  %168 = load float, ptr %32, align 8
  %169 = load float, ptr %30, align 4
  %170 = load float, ptr %33, align 4
  %171 = trunc i64 %39 to i32
  br label %206

172:
  %173 = phi i64 [ 0, %106 ], [ %203, %200 ]
  %174 = phi float [ 0.000000e+00, %106 ], [ %202, %200 ]
  %175 = phi float [ 0x3F1A36E2E0000000, %106 ], [ %201, %200 ]
  %176 = icmp eq i64 %173, 2
  %177 = select i1 %176, float 0x3FF00068E0000000, float 0x3F1A36E2E0000000
  %178 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %173
  %179 = load float, ptr %178, align 4
  %180 = tail call float @llvm.fabs.f32(float %179)
  %181 = fcmp ogt float %180, 0x3D71979980000000
  br i1 %181, label %182, label %197

182:
  %183 = fdiv float -1.000000e+00, %179
  %184 = fcmp ogt float %183, 0.000000e+00
  %185 = zext i1 %184 to i64
  %186 = getelementptr inbounds [2 x i32], ptr %11, i64 0, i64 %185
  %187 = load i32, ptr %186, align 4
  %188 = add nsw i32 %187, 1
  store i32 %188, ptr %186, align 4
  %189 = and i32 %187, 1
  %190 = fmul float %177, %183
  %191 = zext nneg i32 %189 to i64
  %192 = getelementptr inbounds [2 x [2 x float]], ptr %9, i64 0, i64 %185, i64 %191
  store float %190, ptr %192, align 4
  %193 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %173
  %194 = load float, ptr %193, align 4
  %195 = fmul float %183, %194
  %196 = getelementptr inbounds [2 x [2 x float]], ptr %10, i64 0, i64 %185, i64 %191
  store float %195, ptr %196, align 4
  br label %200

197:
  %198 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %173
  %199 = load float, ptr %198, align 4
  br label %200

200:
  %201 = phi float [ %175, %182 ], [ %177, %197 ]
  %202 = phi float [ %174, %182 ], [ %199, %197 ]
  %203 = add nuw nsw i64 %173, 1
  %204 = icmp eq i64 %203, 3
  br i1 %204, label %155, label %172

205:
  br label %296

206:
  %207 = phi i64 [ %156, %162 ], [ %294, %293 ]
  %208 = sitofp i64 %207 to float
  %209 = fadd float %208, 5.000000e-01
  %210 = load float, ptr %61, align 4
  %211 = fsub float %209, %210
  %212 = tail call float @llvm.fmuladd.f32(float %164, float %211, float %163)
  %213 = tail call float @llvm.fmuladd.f32(float %166, float %211, float %165)
  %214 = fcmp ogt float %212, %213
  %215 = select i1 %214, float %212, float %213
  %216 = tail call float @llvm.fmuladd.f32(float %168, float %211, float %167)
  %217 = tail call float @llvm.fmuladd.f32(float %170, float %211, float %169)
  %218 = fcmp olt float %216, %217
  %219 = select i1 %218, float %216, float %217
  %220 = fcmp ogt float %215, %151
  %221 = select i1 %220, float %215, float %151
  %222 = fcmp olt float %219, %154
  %223 = select i1 %222, float %219, float %154
  %224 = fcmp ugt float %221, %223
  %225 = tail call float @llvm.fmuladd.f32(float %202, float %211, float %201)
  %226 = fcmp olt float %225, 0.000000e+00
  %227 = select i1 %224, i1 true, i1 %226
  br i1 %227, label %293, label %228

228:
  %229 = load float, ptr %45, align 4
  %230 = fadd float %221, %229
  %231 = fadd float %230, 5.000000e-01
  %232 = fcmp ogt float %231, 0.000000e+00
  %233 = select i1 %232, float %231, float 0.000000e+00
  %234 = fcmp olt float %233, %21
  %235 = select i1 %234, float %233, float %21
  %236 = fptosi float %235 to i64
  %237 = fadd float %223, %229
  %238 = fadd float %237, -5.000000e-01
  %239 = fcmp ogt float %238, 0.000000e+00
  %240 = select i1 %239, float %238, float 0.000000e+00
  %241 = fcmp olt float %240, %21
  %242 = select i1 %241, float %240, float %21
  %243 = fptosi float %242 to i64
  %244 = sitofp i64 %236 to float
  %245 = fadd float %244, 5.000000e-01
  %246 = fsub float %245, %229
  %247 = fcmp olt float %246, %221
  %248 = fadd float %246, 1.000000e+00
  %249 = zext i1 %247 to i64
  %250 = add nsw i64 %249, %236
  %251 = select i1 %247, float %248, float %246
  %252 = load ptr, ptr %34, align 8
  %253 = shl nsw i64 %207, 3
  %254 = getelementptr inbounds i8, ptr %252, i64 %253
  %255 = load i32, ptr %254, align 4
  %256 = sext i32 %255 to i64
  %257 = icmp slt i64 %250, %256
  br i1 %257, label %258, label %260

258:
  %259 = trunc i64 %250 to i32
  store i32 %259, ptr %254, align 4
  br label %260

260:
  %261 = getelementptr inbounds i8, ptr %254, i64 4
  %262 = load i32, ptr %261, align 4
  %263 = sext i32 %262 to i64
  %264 = icmp sgt i64 %243, %263
  br i1 %264, label %265, label %267

265:
  %266 = trunc i64 %243 to i32
  store i32 %266, ptr %261, align 4
  br label %267

267:
  %268 = icmp sgt i64 %250, %243
  br i1 %268, label %293, label %269

269:
  %270 = mul nsw i64 %207, %12
  %271 = add nsw i64 %250, %270
  %272 = load float, ptr %138, align 4
  %273 = tail call float @llvm.fmuladd.f32(float %159, float %251, float %272)
  %274 = tail call float @llvm.fmuladd.f32(float %160, float %211, float %273)
  br label %275

275:
  %276 = phi i64 [ %289, %288 ], [ %250, %269 ]
  %277 = phi i64 [ %290, %288 ], [ %271, %269 ]
  %278 = phi float [ %291, %288 ], [ %274, %269 ]
  %279 = load ptr, ptr %35, align 8
  %280 = getelementptr inbounds float, ptr %279, i64 %277
  %281 = load float, ptr %280, align 4
  %282 = fcmp ugt float %278, %281
  br i1 %282, label %283, label %288

283:
  store float %278, ptr %280, align 4
  %284 = load ptr, ptr %36, align 8
  %285 = icmp eq ptr %284, null
  br i1 %285, label %288, label %286

286:
  %287 = getelementptr inbounds i32, ptr %284, i64 %277
  store i32 %171, ptr %287, align 4
  br label %288

288:
  %289 = add i64 %276, 1
  %290 = add nsw i64 %277, 1
  %291 = fadd float %159, %278
  %292 = icmp eq i64 %276, %243
  br i1 %292, label %293, label %275

293:
  %294 = add i64 %207, 1
  %295 = icmp eq i64 %207, %157
  br i1 %295, label %205, label %206

296:
  %297 = add nsw i64 %39, 1
  %298 = icmp eq i64 %297, %5
  br i1 %298, label %37, label %38
}

declare float @llvm.fmuladd.f32(float, float, float) #3

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #4

define void @shade_pixels(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #5 {
  %4 = alloca [3 x float], align 4
  %5 = alloca [3 x float], align 4
  %6 = alloca [3 x float], align 4
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = alloca [3 x float], align 4
  %10 = alloca [4 x i32], align 16
  %11 = alloca [3 x float], align 4
  %12 = alloca [3 x float], align 4
  %13 = alloca [3 x float], align 4
  %14 = alloca %struct.Shaded, align 4
  %15 = alloca %struct.Shaded, align 4
  %16 = alloca [4 x float], align 16
  %17 = alloca [4 x float], align 16
  %18 = getelementptr inbounds i8, ptr %0, i64 48
  %19 = load i64, ptr %18, align 8
  %20 = load ptr, ptr %0, align 8
  %21 = load i64, ptr %20, align 8
  %22 = sdiv i64 %21, %19
  %23 = getelementptr inbounds i8, ptr %0, i64 56
  %24 = icmp slt i64 %1, %2
  br i1 %24, label %25, label %70

25:
  %26 = icmp sgt i64 %19, 0
  %27 = getelementptr inbounds i8, ptr %0, i64 8
  %28 = getelementptr inbounds i8, ptr %0, i64 72
  %29 = getelementptr inbounds i8, ptr %0, i64 80
  %30 = getelementptr inbounds i8, ptr %0, i64 64
  %31 = getelementptr inbounds i8, ptr %10, i64 4
  %32 = getelementptr inbounds i8, ptr %10, i64 8
  %33 = getelementptr inbounds i8, ptr %10, i64 12
  %34 = getelementptr inbounds i8, ptr %0, i64 40
  %35 = getelementptr inbounds i8, ptr %12, i64 4
  %36 = getelementptr inbounds i8, ptr %11, i64 4
  %37 = getelementptr inbounds i8, ptr %12, i64 8
  %38 = getelementptr inbounds i8, ptr %11, i64 8
  %39 = getelementptr inbounds i8, ptr %14, i64 4
  %40 = getelementptr inbounds i8, ptr %16, i64 12
  %41 = getelementptr inbounds i8, ptr %15, i64 4
  %42 = getelementptr inbounds i8, ptr %13, i64 4
  %43 = getelementptr inbounds i8, ptr %13, i64 8
  %44 = getelementptr inbounds i8, ptr %17, i64 12
  %45 = sitofp i64 %19 to float
  %46 = fmul float %45, 5.000000e-01
  %47 = getelementptr inbounds i8, ptr %0, i64 88
  %48 = getelementptr inbounds i8, ptr %0, i64 96
  %49 = getelementptr inbounds i8, ptr %0, i64 92
  %50 = getelementptr inbounds i8, ptr %5, i64 4
  %51 = getelementptr inbounds i8, ptr %5, i64 8
  %52 = getelementptr inbounds i8, ptr %0, i64 100
  %53 = getelementptr inbounds i8, ptr %6, i64 4
  %54 = getelementptr inbounds i8, ptr %6, i64 8
  %55 = getelementptr inbounds i8, ptr %0, i64 120
  %56 = getelementptr inbounds i8, ptr %0, i64 124
  %57 = getelementptr inbounds i8, ptr %0, i64 128
  %58 = getelementptr inbounds i8, ptr %0, i64 144
  %59 = getelementptr inbounds i8, ptr %0, i64 148
  %60 = getelementptr inbounds i8, ptr %0, i64 220
  %61 = getelementptr inbounds i8, ptr %0, i64 168
  %62 = getelementptr inbounds i8, ptr %7, i64 4
  %63 = getelementptr inbounds i8, ptr %7, i64 8
  %64 = getelementptr inbounds i8, ptr %4, i64 4
  %65 = getelementptr inbounds i8, ptr %0, i64 152
  %66 = getelementptr inbounds i8, ptr %0, i64 160
  %67 = getelementptr inbounds i8, ptr %4, i64 8
  %68 = getelementptr inbounds i8, ptr %0, i64 216
  %69 = getelementptr inbounds i8, ptr %0, i64 224
  br label %71

70:
  ret void

71:
  %72 = phi i64 [ %1, %25 ], [ %165, %164 ]
  %73 = load ptr, ptr %0, align 8
  %74 = icmp ne ptr %73, null
  %75 = and i1 %26, %74
  br i1 %75, label %76, label %105

76:
  %77 = getelementptr inbounds i8, ptr %73, i64 32
  %78 = mul nsw i64 %72, %19
  %79 = load ptr, ptr %77, align 8
  br label %80

80:
  %81 = phi i64 [ %22, %76 ], [ %101, %100 ]
  %82 = phi i64 [ 0, %76 ], [ %102, %100 ]
  %83 = phi i64 [ 0, %76 ], [ %103, %100 ]
  %84 = add nsw i64 %83, %78
  %85 = shl nsw i64 %84, 3
  %86 = getelementptr inbounds i8, ptr %79, i64 %85
  %87 = getelementptr inbounds i8, ptr %86, i64 4
  %88 = load i32, ptr %87, align 4
  %89 = load i32, ptr %86, align 4
  %90 = icmp slt i32 %88, %89
  br i1 %90, label %100, label %91

91:
  %92 = sext i32 %89 to i64
  %93 = sdiv i64 %92, %19
  %94 = tail call i64 @llvm.smin.i64(i64 %93, i64 %81)
  %95 = sext i32 %88 to i64
  %96 = sdiv i64 %95, %19
  %97 = icmp slt i64 %96, %82
  %98 = add nsw i64 %96, 1
  %99 = select i1 %97, i64 %82, i64 %98
  br label %100

100:
  %101 = phi i64 [ %81, %80 ], [ %94, %91 ]
  %102 = phi i64 [ %82, %80 ], [ %99, %91 ]
  %103 = add nuw nsw i64 %83, 1
  %104 = icmp eq i64 %103, %19
  br i1 %104, label %105, label %80

105:
  %106 = phi i64 [ %22, %71 ], [ %101, %100 ]
  %107 = phi i64 [ 0, %71 ], [ %102, %100 ]
  %108 = load ptr, ptr %27, align 8
  %109 = icmp ne ptr %108, null
  %110 = and i1 %26, %109
  br i1 %110, label %111, label %140

111:
  %112 = getelementptr inbounds i8, ptr %108, i64 32
  %113 = mul nsw i64 %72, %19
  %114 = load ptr, ptr %112, align 8
  br label %115

115:
  %116 = phi i64 [ %106, %111 ], [ %136, %135 ]
  %117 = phi i64 [ %107, %111 ], [ %137, %135 ]
  %118 = phi i64 [ 0, %111 ], [ %138, %135 ]
  %119 = add nsw i64 %118, %113
  %120 = shl nsw i64 %119, 3
  %121 = getelementptr inbounds i8, ptr %114, i64 %120
  %122 = getelementptr inbounds i8, ptr %121, i64 4
  %123 = load i32, ptr %122, align 4
  %124 = load i32, ptr %121, align 4
  %125 = icmp slt i32 %123, %124
  br i1 %125, label %135, label %126

126:
  %127 = sext i32 %124 to i64
  %128 = sdiv i64 %127, %19
  %129 = tail call i64 @llvm.smin.i64(i64 %128, i64 %116)
  %130 = sext i32 %123 to i64
  %131 = sdiv i64 %130, %19
  %132 = icmp slt i64 %131, %117
  %133 = add nsw i64 %131, 1
  %134 = select i1 %132, i64 %117, i64 %133
  br label %135

135:
  %136 = phi i64 [ %116, %115 ], [ %129, %126 ]
  %137 = phi i64 [ %117, %115 ], [ %134, %126 ]
  %138 = add nuw nsw i64 %118, 1
  %139 = icmp eq i64 %138, %19
  br i1 %139, label %140, label %115

140:
  %141 = phi i64 [ %106, %105 ], [ %136, %135 ]
  %142 = phi i64 [ %107, %105 ], [ %137, %135 ]
  %143 = load i64, ptr %28, align 8
  %144 = icmp slt i64 %72, %143
  br i1 %144, label %153, label %145

145:
  %146 = load i64, ptr %29, align 8
  %147 = icmp slt i64 %72, %146
  br i1 %147, label %148, label %153

148:
  %149 = load i64, ptr %23, align 8
  %150 = tail call i64 @llvm.smin.i64(i64 %149, i64 %141)
  %151 = load i64, ptr %30, align 8
  %152 = tail call i64 @llvm.smax.i64(i64 %151, i64 %142)
  br label %153

153:
  %154 = phi i64 [ %141, %145 ], [ %141, %140 ], [ %150, %148 ]
  %155 = phi i1 [ true, %145 ], [ true, %140 ], [ false, %148 ]
  %156 = phi i64 [ %142, %145 ], [ %142, %140 ], [ %152, %148 ]
  %157 = icmp slt i64 %154, %156
  br i1 %157, label %158, label %164

158:
  %159 = shl nsw i64 %72, 1
  %160 = mul nsw i64 %72, %19
  %161 = sitofp i64 %160 to float
  %162 = fadd float %46, %161
  %163 = mul nsw i64 %72, %22
  br label %167

164:
  %165 = add i64 %72, 1
  %166 = icmp eq i64 %165, %2
  br i1 %166, label %70, label %71

167:
  %168 = phi i64 [ %154, %158 ], [ %788, %787 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %17, i8 0, i64 16, i1 false)
  %169 = icmp sge i64 %168, %141
  %170 = icmp slt i64 %168, %142
  %171 = select i1 %169, i1 %170, i1 false
  br i1 %171, label %172, label %448

172:
  %173 = load i64, ptr %18, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %14, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %15, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  br label %179

174:
  %175 = load ptr, ptr %27, align 8
  %176 = icmp eq ptr %175, null
  %177 = icmp eq i64 %173, 2
  %178 = select i1 %176, i1 %177, i1 false
  br i1 %178, label %184, label %319

179:
  %180 = phi i64 [ 0, %172 ], [ %182, %179 ]
  %181 = getelementptr inbounds float, ptr %17, i64 %180
  store float 0.000000e+00, ptr %181, align 4
  %182 = add nuw nsw i64 %180, 1
  %183 = icmp eq i64 %182, 4
  br i1 %183, label %174, label %179

184:
  %185 = load ptr, ptr %0, align 8
  %186 = getelementptr inbounds i8, ptr %185, i64 16
  %187 = load ptr, ptr %186, align 8
  %188 = load i64, ptr %185, align 8
  %189 = mul nsw i64 %188, %159
  %190 = getelementptr inbounds float, ptr %187, i64 %189
  %191 = shl nsw i64 %168, 1
  %192 = getelementptr inbounds float, ptr %190, i64 %191
  %193 = getelementptr inbounds float, ptr %192, i64 %188
  %194 = load float, ptr %192, align 4
  %195 = fcmp ogt float %194, 0.000000e+00
  %196 = getelementptr inbounds i8, ptr %192, i64 4
  %197 = load float, ptr %196, align 4
  %198 = fcmp ogt float %197, 0.000000e+00
  br i1 %195, label %207, label %199

199:
  br i1 %198, label %321, label %200

200:
  %201 = load float, ptr %193, align 4
  %202 = fcmp ogt float %201, 0.000000e+00
  br i1 %202, label %321, label %203

203:
  %204 = getelementptr inbounds i8, ptr %193, i64 4
  %205 = load float, ptr %204, align 4
  %206 = fcmp ogt float %205, 0.000000e+00
  br i1 %206, label %321, label %446

207:
  br i1 %198, label %208, label %321

208:
  %209 = load float, ptr %193, align 4
  %210 = fcmp ogt float %209, 0.000000e+00
  br i1 %210, label %211, label %321

211:
  %212 = getelementptr inbounds i8, ptr %193, i64 4
  %213 = load float, ptr %212, align 4
  %214 = fcmp ogt float %213, 0.000000e+00
  br i1 %214, label %215, label %321

215:
  %216 = getelementptr inbounds i8, ptr %185, i64 24
  %217 = load ptr, ptr %216, align 8
  %218 = getelementptr inbounds i32, ptr %217, i64 %189
  %219 = getelementptr inbounds i32, ptr %218, i64 %191
  %220 = load i32, ptr %219, align 4
  store i32 %220, ptr %10, align 16
  %221 = getelementptr inbounds i8, ptr %219, i64 4
  %222 = load i32, ptr %221, align 4
  store i32 %222, ptr %31, align 4
  %223 = getelementptr inbounds i32, ptr %219, i64 %188
  %224 = load i32, ptr %223, align 4
  store i32 %224, ptr %32, align 8
  %225 = getelementptr i8, ptr %223, i64 4
  %226 = load i32, ptr %225, align 4
  store i32 %226, ptr %33, align 4
  %227 = load ptr, ptr %34, align 8
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull %185, i64 noundef %191, i64 noundef %159, ptr noundef nonnull %11) #11
  br label %237

228:
  %229 = shl nsw i32 %220, 2
  %230 = sext i32 %229 to i64
  %231 = getelementptr inbounds float, ptr %227, i64 %230
  %232 = getelementptr inbounds i8, ptr %231, i64 4
  %233 = getelementptr inbounds i8, ptr %231, i64 8
  %234 = load float, ptr %11, align 4
  %235 = load float, ptr %36, align 4
  %236 = load float, ptr %38, align 4
  br label %244

237:
  %238 = phi i64 [ 0, %215 ], [ %242, %237 ]
  %239 = getelementptr inbounds [3 x float], ptr %11, i64 0, i64 %238
  %240 = load float, ptr %239, align 4
  %241 = getelementptr inbounds [3 x float], ptr %13, i64 0, i64 %238
  store float %240, ptr %241, align 4
  %242 = add nuw nsw i64 %238, 1
  %243 = icmp eq i64 %242, 3
  br i1 %243, label %228, label %237

244:
  %245 = phi i64 [ 1, %228 ], [ %296, %295 ]
  %246 = phi i1 [ false, %228 ], [ %297, %295 ]
  %247 = getelementptr inbounds [4 x i32], ptr %10, i64 0, i64 %245
  %248 = load i32, ptr %247, align 4
  %249 = icmp eq i32 %248, %220
  br i1 %249, label %295, label %250

250:
  %251 = add nsw i64 %245, -1
  %252 = getelementptr inbounds [4 x i32], ptr %10, i64 0, i64 %251
  %253 = load i32, ptr %252, align 4
  %254 = icmp eq i32 %248, %253
  br i1 %254, label %295, label %255

255:
  %256 = load ptr, ptr %34, align 8
  %257 = shl nsw i32 %248, 2
  %258 = sext i32 %257 to i64
  %259 = getelementptr inbounds float, ptr %256, i64 %258
  %260 = load float, ptr %259, align 4
  %261 = load float, ptr %231, align 4
  %262 = fcmp une float %260, %261
  br i1 %262, label %318, label %263

263:
  %264 = getelementptr inbounds i8, ptr %259, i64 4
  %265 = load float, ptr %264, align 4
  %266 = load float, ptr %232, align 4
  %267 = fcmp une float %265, %266
  br i1 %267, label %318, label %268

268:
  %269 = getelementptr inbounds i8, ptr %259, i64 8
  %270 = load float, ptr %269, align 4
  %271 = load float, ptr %233, align 4
  %272 = fcmp une float %270, %271
  br i1 %272, label %318, label %273

273:
  %274 = and i64 %245, 1
  %275 = or disjoint i64 %274, %191
  %276 = lshr i64 %245, 1
  %277 = and i64 %276, 2147483647
  %278 = add nsw i64 %277, %159
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull %185, i64 noundef %275, i64 noundef %278, ptr noundef nonnull %12) #11
  %279 = load float, ptr %12, align 4
  %280 = load float, ptr %35, align 4
  %281 = fmul float %235, %280
  %282 = tail call float @llvm.fmuladd.f32(float %279, float %234, float %281)
  %283 = load float, ptr %37, align 4
  %284 = tail call float @llvm.fmuladd.f32(float %283, float %236, float %282)
  %285 = fcmp olt float %284, 0x3FEF5C2900000000
  br i1 %285, label %318, label %286

286:
  %287 = phi i64 [ %293, %286 ], [ 0, %273 ]
  %288 = getelementptr inbounds [3 x float], ptr %12, i64 0, i64 %287
  %289 = load float, ptr %288, align 4
  %290 = getelementptr inbounds [3 x float], ptr %13, i64 0, i64 %287
  %291 = load float, ptr %290, align 4
  %292 = fadd float %289, %291
  store float %292, ptr %290, align 4
  %293 = add nuw nsw i64 %287, 1
  %294 = icmp eq i64 %293, 3
  br i1 %294, label %295, label %286

295:
  %296 = add nuw nsw i64 %245, 1
  %297 = icmp ugt i64 %245, 2
  %298 = icmp eq i64 %296, 4
  br i1 %298, label %299, label %244

299:
  %300 = load float, ptr %13, align 4
  %301 = load float, ptr %42, align 4
  %302 = fmul float %301, %301
  %303 = tail call float @llvm.fmuladd.f32(float %300, float %300, float %302)
  %304 = load float, ptr %43, align 4
  %305 = tail call float @llvm.fmuladd.f32(float %304, float %304, float %303)
  %306 = tail call float @sqrtf(float noundef %305) #12
  %307 = fcmp ogt float %306, 0x3BC79CA100000000
  %308 = fdiv float 1.000000e+00, %306
  %309 = select i1 %307, float %308, float 0.000000e+00
  br label %310

310:
  %311 = phi i64 [ 0, %299 ], [ %315, %310 ]
  %312 = getelementptr inbounds float, ptr %13, i64 %311
  %313 = load float, ptr %312, align 4
  %314 = fmul float %309, %313
  store float %314, ptr %312, align 4
  %315 = add nuw nsw i64 %311, 1
  %316 = icmp eq i64 %315, 3
  br i1 %316, label %317, label %310

317:
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull %185, i64 noundef %191, i64 noundef %159, ptr noundef nonnull %13, ptr noundef nonnull %17) #11
  store float 1.000000e+00, ptr %44, align 4
  br label %446

318:
  br i1 %246, label %446, label %319

319:
  %320 = icmp sgt i64 %173, 0
  br i1 %320, label %321, label %329

321:
  %322 = mul nsw i64 %173, %168
  %323 = mul nsw i64 %173, %72
  br label %324

324:
  %325 = phi i32 [ -1, %321 ], [ %426, %332 ]
  %326 = phi i32 [ -1, %321 ], [ %389, %332 ]
  %327 = phi i64 [ 0, %321 ], [ %333, %332 ]
  %328 = add nsw i64 %327, %323
  br label %335

329:
  %330 = mul nsw i64 %173, %173
  %331 = uitofp nneg i64 %330 to float
  br label %439

332:
  %333 = add nuw nsw i64 %327, 1
  %334 = icmp eq i64 %333, %173
  br i1 %334, label %329, label %324

335:
  %336 = phi i32 [ %325, %324 ], [ %426, %427 ]
  %337 = phi i32 [ %326, %324 ], [ %389, %427 ]
  %338 = phi i64 [ 0, %324 ], [ %428, %427 ]
  %339 = add nsw i64 %338, %322
  %340 = load ptr, ptr %0, align 8
  %341 = load i64, ptr %340, align 8
  %342 = mul nsw i64 %341, %328
  %343 = add nsw i64 %342, %339
  %344 = getelementptr inbounds i8, ptr %340, i64 16
  %345 = load ptr, ptr %344, align 8
  %346 = getelementptr inbounds float, ptr %345, i64 %343
  %347 = load float, ptr %346, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %16, i8 0, i64 16, i1 false)
  %348 = load ptr, ptr %27, align 8
  %349 = icmp eq ptr %348, null
  br i1 %349, label %387, label %350

350:
  %351 = getelementptr inbounds i8, ptr %348, i64 16
  %352 = load ptr, ptr %351, align 8
  %353 = getelementptr inbounds float, ptr %352, i64 %343
  %354 = load float, ptr %353, align 4
  %355 = fcmp ogt float %354, %347
  br i1 %355, label %356, label %387

356:
  %357 = load i64, ptr %348, align 8
  %358 = mul nsw i64 %357, %328
  %359 = getelementptr inbounds i8, ptr %348, i64 24
  %360 = load ptr, ptr %359, align 8
  %361 = getelementptr i32, ptr %360, i64 %358
  %362 = getelementptr i32, ptr %361, i64 %339
  %363 = load i32, ptr %362, align 4
  %364 = icmp eq i32 %363, %337
  br i1 %364, label %367, label %365

365:
  store i32 %363, ptr %14, align 4
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %348, i64 noundef %339, i64 noundef %328, ptr noundef nonnull %9) #11
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %348, i64 noundef %339, i64 noundef %328, ptr noundef nonnull %9, ptr noundef nonnull %39) #11
  %366 = load i32, ptr %14, align 4
  br label %367

367:
  %368 = phi i32 [ %366, %365 ], [ %337, %356 ]
  %369 = load ptr, ptr %34, align 8
  %370 = shl nsw i32 %368, 2
  %371 = or disjoint i32 %370, 3
  %372 = sext i32 %371 to i64
  %373 = getelementptr inbounds float, ptr %369, i64 %372
  %374 = load float, ptr %373, align 4
  br label %375

375:
  %376 = phi i64 [ 0, %367 ], [ %382, %375 ]
  %377 = getelementptr inbounds [3 x float], ptr %39, i64 0, i64 %376
  %378 = load float, ptr %377, align 4
  %379 = getelementptr inbounds float, ptr %16, i64 %376
  %380 = load float, ptr %379, align 4
  %381 = tail call float @llvm.fmuladd.f32(float %374, float %378, float %380)
  store float %381, ptr %379, align 4
  %382 = add nuw nsw i64 %376, 1
  %383 = icmp eq i64 %382, 3
  br i1 %383, label %384, label %375

384:
  %385 = load float, ptr %40, align 4
  %386 = fadd float %374, %385
  store float %386, ptr %40, align 4
  br label %387

387:
  %388 = phi float [ %386, %384 ], [ 0.000000e+00, %350 ], [ 0.000000e+00, %335 ]
  %389 = phi i32 [ %368, %384 ], [ %337, %350 ], [ %337, %335 ]
  %390 = fcmp ogt float %347, 0.000000e+00
  br i1 %390, label %391, label %425

391:
  %392 = load ptr, ptr %0, align 8
  %393 = load i64, ptr %392, align 8
  %394 = mul nsw i64 %393, %328
  %395 = getelementptr inbounds i8, ptr %392, i64 24
  %396 = load ptr, ptr %395, align 8
  %397 = getelementptr i32, ptr %396, i64 %394
  %398 = getelementptr i32, ptr %397, i64 %339
  %399 = load i32, ptr %398, align 4
  %400 = icmp eq i32 %399, %336
  br i1 %400, label %403, label %401

401:
  store i32 %399, ptr %15, align 4
  call fastcc void @normal_at(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %392, i64 noundef %339, i64 noundef %328, ptr noundef nonnull %8) #11
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %392, i64 noundef %339, i64 noundef %328, ptr noundef nonnull %8, ptr noundef nonnull %41) #11
  %402 = load i32, ptr %15, align 4
  br label %403

403:
  %404 = phi i32 [ %402, %401 ], [ %336, %391 ]
  %405 = load ptr, ptr %34, align 8
  %406 = shl nsw i32 %404, 2
  %407 = or disjoint i32 %406, 3
  %408 = sext i32 %407 to i64
  %409 = getelementptr inbounds float, ptr %405, i64 %408
  %410 = load float, ptr %409, align 4
  %411 = fsub float 1.000000e+00, %388
  %412 = fmul float %411, %410
  br label %413

413:
  %414 = phi i64 [ 0, %403 ], [ %420, %413 ]
  %415 = getelementptr inbounds [3 x float], ptr %41, i64 0, i64 %414
  %416 = load float, ptr %415, align 4
  %417 = getelementptr inbounds float, ptr %16, i64 %414
  %418 = load float, ptr %417, align 4
  %419 = tail call float @llvm.fmuladd.f32(float %412, float %416, float %418)
  store float %419, ptr %417, align 4
  %420 = add nuw nsw i64 %414, 1
  %421 = icmp eq i64 %420, 3
  br i1 %421, label %422, label %413

422:
  %423 = load float, ptr %40, align 4
  %424 = fadd float %412, %423
  store float %424, ptr %40, align 4
  br label %425

425:
  %426 = phi i32 [ %404, %422 ], [ %336, %387 ]
  br label %430

427:
  %428 = add nuw nsw i64 %338, 1
  %429 = icmp eq i64 %428, %173
  br i1 %429, label %332, label %335

430:
  %431 = phi i64 [ 0, %425 ], [ %437, %430 ]
  %432 = getelementptr inbounds [4 x float], ptr %16, i64 0, i64 %431
  %433 = load float, ptr %432, align 4
  %434 = getelementptr inbounds float, ptr %17, i64 %431
  %435 = load float, ptr %434, align 4
  %436 = fadd float %433, %435
  store float %436, ptr %434, align 4
  %437 = add nuw nsw i64 %431, 1
  %438 = icmp eq i64 %437, 4
  br i1 %438, label %427, label %430

439:
  %440 = phi i64 [ 0, %329 ], [ %444, %439 ]
  %441 = getelementptr inbounds float, ptr %17, i64 %440
  %442 = load float, ptr %441, align 4
  %443 = fdiv float %442, %331
  store float %443, ptr %441, align 4
  %444 = add nuw nsw i64 %440, 1
  %445 = icmp eq i64 %444, 4
  br i1 %445, label %446, label %439

446:
  %447 = load float, ptr %44, align 4
  br label %448

448:
  %449 = phi float [ %447, %446 ], [ 0.000000e+00, %167 ]
  %450 = fcmp uge float %449, 1.000000e+00
  %451 = or i1 %155, %450
  br i1 %451, label %752, label %452

452:
  %453 = load i64, ptr %23, align 8
  %454 = icmp slt i64 %168, %453
  br i1 %454, label %752, label %455

455:
  %456 = load i64, ptr %30, align 8
  %457 = icmp slt i64 %168, %456
  br i1 %457, label %458, label %752

458:
  %459 = mul nsw i64 %168, %19
  %460 = sitofp i64 %459 to float
  %461 = fadd float %46, %460
  %462 = load float, ptr %47, align 8
  %463 = load float, ptr %48, align 8
  %464 = tail call float @llvm.fmuladd.f32(float %463, float %461, float %462)
  %465 = load float, ptr %49, align 4
  %466 = fneg float %463
  %467 = tail call float @llvm.fmuladd.f32(float %466, float %162, float %465)
  store float %464, ptr %5, align 4
  store float %467, ptr %50, align 4
  store float 0.000000e+00, ptr %51, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %6, ptr noundef nonnull align 4 dereferenceable(12) @__const.shadow_on_ground.along, i64 12, i1 false)
  %468 = load float, ptr %52, align 4
  %469 = fcmp ogt float %468, 0.000000e+00
  br i1 %469, label %470, label %472

470:
  store float 0.000000e+00, ptr %50, align 4
  store float 0.000000e+00, ptr %5, align 4
  store float %468, ptr %51, align 4
  store float %464, ptr %6, align 4
  store float %467, ptr %53, align 4
  %471 = fneg float %468
  store float %471, ptr %54, align 4
  br label %472

472:
  %473 = phi float [ %468, %470 ], [ 0.000000e+00, %458 ]
  %474 = phi float [ 0.000000e+00, %470 ], [ %467, %458 ]
  %475 = phi float [ 0.000000e+00, %470 ], [ %464, %458 ]
  %476 = phi float [ %471, %470 ], [ -1.000000e+00, %458 ]
  %477 = phi float [ %467, %470 ], [ 0.000000e+00, %458 ]
  %478 = phi float [ %464, %470 ], [ 0.000000e+00, %458 ]
  %479 = load float, ptr %55, align 4
  %480 = load float, ptr %56, align 4
  %481 = fmul float %477, %480
  %482 = tail call float @llvm.fmuladd.f32(float %479, float %478, float %481)
  %483 = load float, ptr %57, align 4
  %484 = tail call float @llvm.fmuladd.f32(float %483, float %476, float %482)
  %485 = fcmp olt float %484, 0.000000e+00
  br i1 %485, label %486, label %750

486:
  %487 = load float, ptr %58, align 8
  %488 = fmul float %474, %480
  %489 = tail call float @llvm.fmuladd.f32(float %479, float %475, float %488)
  %490 = tail call float @llvm.fmuladd.f32(float %483, float %473, float %489)
  %491 = fsub float %487, %490
  %492 = fdiv float %491, %484
  %493 = fcmp ogt float %492, 0.000000e+00
  br i1 %493, label %740, label %750

494:
  %495 = load float, ptr %59, align 4
  %496 = load float, ptr %60, align 4
  %497 = load float, ptr %7, align 4
  %498 = load float, ptr %62, align 4
  %499 = load float, ptr %63, align 4
  br label %506

500:
  %501 = fdiv float %496, 3.000000e+00
  %502 = tail call float @llvm.fmuladd.f32(float %501, float 7.000000e+00, float 4.000000e+00)
  %503 = load float, ptr %4, align 4
  %504 = fneg float %502
  %505 = fcmp olt float %503, %504
  br i1 %505, label %736, label %525

506:
  %507 = phi i64 [ 0, %494 ], [ %523, %506 ]
  %508 = shl nuw nsw i64 %507, 2
  %509 = getelementptr inbounds float, ptr %61, i64 %508
  %510 = load float, ptr %509, align 4
  %511 = getelementptr inbounds i8, ptr %509, i64 4
  %512 = load float, ptr %511, align 4
  %513 = fmul float %498, %512
  %514 = tail call float @llvm.fmuladd.f32(float %510, float %497, float %513)
  %515 = getelementptr inbounds i8, ptr %509, i64 8
  %516 = load float, ptr %515, align 4
  %517 = tail call float @llvm.fmuladd.f32(float %516, float %499, float %514)
  %518 = or disjoint i64 %508, 3
  %519 = getelementptr inbounds [12 x float], ptr %61, i64 0, i64 %518
  %520 = load float, ptr %519, align 4
  %521 = fadd float %520, %517
  %522 = getelementptr inbounds [3 x float], ptr %4, i64 0, i64 %507
  store float %521, ptr %522, align 4
  %523 = add nuw nsw i64 %507, 1
  %524 = icmp eq i64 %523, 3
  br i1 %524, label %500, label %506

525:
  %526 = load float, ptr %64, align 4
  %527 = fcmp olt float %526, %504
  br i1 %527, label %736, label %528

528:
  %529 = load ptr, ptr %65, align 8
  %530 = load i64, ptr %529, align 8
  %531 = sitofp i64 %530 to float
  %532 = fadd float %502, %531
  %533 = fcmp ogt float %503, %532
  br i1 %533, label %736, label %534

534:
  %535 = getelementptr inbounds i8, ptr %529, i64 8
  %536 = load i64, ptr %535, align 8
  %537 = sitofp i64 %536 to float
  %538 = fadd float %502, %537
  %539 = fcmp ogt float %526, %538
  br i1 %539, label %736, label %540

540:
  %541 = load ptr, ptr %66, align 8
  %542 = add nsw i64 %536, -1
  %543 = sitofp i64 %542 to float
  %544 = fcmp ogt float %526, 0.000000e+00
  %545 = select i1 %544, float %526, float 0.000000e+00
  %546 = fcmp olt float %545, %543
  %547 = select i1 %546, float %545, float %543
  %548 = fptosi float %547 to i64
  %549 = shl nsw i64 %548, 3
  %550 = getelementptr inbounds i8, ptr %541, i64 %549
  %551 = load i32, ptr %550, align 4
  %552 = sitofp i32 %551 to float
  %553 = fcmp olt float %503, %552
  br i1 %553, label %736, label %554

554:
  %555 = getelementptr inbounds i8, ptr %550, i64 4
  %556 = load i32, ptr %555, align 4
  %557 = sitofp i32 %556 to float
  %558 = fcmp ogt float %503, %557
  br i1 %558, label %736, label %559

559:
  %560 = fmul float %501, 3.000000e+00
  %561 = load float, ptr %67, align 4
  %562 = load float, ptr %68, align 8
  %563 = fadd float %561, %562
  %564 = fmul float %560, -5.000000e-01
  %565 = fmul float %564, 2.000000e+00
  %566 = fadd float %565, %503
  %567 = fadd float %565, %526
  %568 = fcmp oge float %566, 0.000000e+00
  %569 = fcmp oge float %567, 0.000000e+00
  %570 = and i1 %568, %569
  br i1 %570, label %571, label %606

571:
  %572 = fsub float %503, %565
  %573 = add nsw i64 %530, -1
  %574 = sitofp i64 %573 to float
  %575 = fcmp olt float %572, %574
  %576 = fsub float %526, %565
  %577 = fcmp olt float %576, %543
  %578 = and i1 %575, %577
  br i1 %578, label %579, label %606

579:
  %580 = getelementptr inbounds i8, ptr %529, i64 16
  %581 = load ptr, ptr %580, align 8
  br label %582

582:
  %583 = phi i32 [ 0, %579 ], [ %603, %590 ]
  %584 = phi i32 [ 0, %579 ], [ %591, %590 ]
  %585 = uitofp nneg i32 %584 to float
  %586 = tail call float @llvm.fmuladd.f32(float %585, float %560, float %567)
  %587 = fptosi float %586 to i64
  %588 = mul nsw i64 %530, %587
  %589 = getelementptr inbounds float, ptr %581, i64 %588
  br label %593

590:
  %591 = add nuw nsw i32 %584, 1
  %592 = icmp eq i32 %591, 3
  br i1 %592, label %643, label %582

593:
  %594 = phi i32 [ %583, %582 ], [ %603, %593 ]
  %595 = phi i32 [ 0, %582 ], [ %604, %593 ]
  %596 = uitofp nneg i32 %595 to float
  %597 = tail call float @llvm.fmuladd.f32(float %596, float %560, float %566)
  %598 = fptosi float %597 to i64
  %599 = getelementptr inbounds float, ptr %589, i64 %598
  %600 = load float, ptr %599, align 4
  %601 = fcmp ule float %600, %563
  %602 = zext i1 %601 to i32
  %603 = add nsw i32 %594, %602
  %604 = add nuw nsw i32 %595, 1
  %605 = icmp eq i32 %604, 3
  br i1 %605, label %590, label %593

606:
  %607 = getelementptr inbounds i8, ptr %529, i64 16
  br label %608

608:
  %609 = phi i32 [ 0, %606 ], [ %640, %617 ]
  %610 = phi i32 [ 0, %606 ], [ %618, %617 ]
  %611 = uitofp nneg i32 %610 to float
  %612 = tail call float @llvm.fmuladd.f32(float %611, float %560, float %567)
  %613 = fcmp oge float %612, 0.000000e+00
  %614 = fcmp olt float %612, %537
  %615 = fptosi float %612 to i64
  %616 = mul nsw i64 %530, %615
  br label %620

617:
  %618 = add nuw nsw i32 %610, 1
  %619 = icmp eq i32 %618, 3
  br i1 %619, label %643, label %608

620:
  %621 = phi i32 [ %609, %608 ], [ %640, %637 ]
  %622 = phi i32 [ 0, %608 ], [ %641, %637 ]
  %623 = uitofp nneg i32 %622 to float
  %624 = tail call float @llvm.fmuladd.f32(float %623, float %560, float %566)
  %625 = fcmp oge float %624, 0.000000e+00
  %626 = select i1 %625, i1 %613, i1 false
  %627 = fcmp olt float %624, %531
  %628 = and i1 %627, %626
  %629 = select i1 %628, i1 %614, i1 false
  br i1 %629, label %630, label %637

630:
  %631 = load ptr, ptr %607, align 8
  %632 = fptosi float %624 to i64
  %633 = getelementptr float, ptr %631, i64 %616
  %634 = getelementptr float, ptr %633, i64 %632
  %635 = load float, ptr %634, align 4
  %636 = fcmp ule float %635, %563
  br label %637

637:
  %638 = phi i1 [ %636, %630 ], [ true, %620 ]
  %639 = zext i1 %638 to i32
  %640 = add nsw i32 %621, %639
  %641 = add nuw nsw i32 %622, 1
  %642 = icmp eq i32 %641, 3
  br i1 %642, label %617, label %620

643:
  %644 = phi i32 [ %603, %590 ], [ %640, %617 ]
  %645 = sitofp i32 %644 to float
  %646 = fdiv float %645, 9.000000e+00
  %647 = fcmp ogt float %646, 0.000000e+00
  %648 = fcmp olt float %646, 1.000000e+00
  %649 = and i1 %647, %648
  br i1 %649, label %650, label %736

650:
  %651 = fmul float %501, -5.000000e-01
  %652 = fmul float %651, 6.000000e+00
  %653 = fadd float %652, %503
  %654 = fadd float %652, %526
  %655 = fcmp oge float %653, 0.000000e+00
  %656 = fcmp oge float %654, 0.000000e+00
  %657 = and i1 %655, %656
  br i1 %657, label %658, label %696

658:
  %659 = fsub float %503, %652
  %660 = add nsw i64 %530, -1
  %661 = sitofp i64 %660 to float
  %662 = fcmp olt float %659, %661
  %663 = fsub float %526, %652
  %664 = fcmp olt float %663, %543
  %665 = and i1 %662, %664
  br i1 %665, label %666, label %696

666:
  %667 = getelementptr inbounds i8, ptr %529, i64 16
  %668 = load ptr, ptr %667, align 8
  br label %672

669:
  %670 = sitofp i32 %693 to float
  %671 = fdiv float %670, 4.900000e+01
  br label %736

672:
  %673 = phi i32 [ 0, %666 ], [ %693, %680 ]
  %674 = phi i32 [ 0, %666 ], [ %681, %680 ]
  %675 = uitofp nneg i32 %674 to float
  %676 = tail call float @llvm.fmuladd.f32(float %675, float %501, float %654)
  %677 = fptosi float %676 to i64
  %678 = mul nsw i64 %530, %677
  %679 = getelementptr inbounds float, ptr %668, i64 %678
  br label %683

680:
  %681 = add nuw nsw i32 %674, 1
  %682 = icmp eq i32 %681, 7
  br i1 %682, label %669, label %672

683:
  %684 = phi i32 [ %673, %672 ], [ %693, %683 ]
  %685 = phi i32 [ 0, %672 ], [ %694, %683 ]
  %686 = uitofp nneg i32 %685 to float
  %687 = tail call float @llvm.fmuladd.f32(float %686, float %501, float %653)
  %688 = fptosi float %687 to i64
  %689 = getelementptr inbounds float, ptr %679, i64 %688
  %690 = load float, ptr %689, align 4
  %691 = fcmp ule float %690, %563
  %692 = zext i1 %691 to i32
  %693 = add nsw i32 %684, %692
  %694 = add nuw nsw i32 %685, 1
  %695 = icmp eq i32 %694, 7
  br i1 %695, label %680, label %683

696:
  %697 = getelementptr inbounds i8, ptr %529, i64 16
  br label %698

698:
  %699 = phi i32 [ 0, %696 ], [ %733, %710 ]
  %700 = phi i32 [ 0, %696 ], [ %711, %710 ]
  %701 = uitofp nneg i32 %700 to float
  %702 = tail call float @llvm.fmuladd.f32(float %701, float %501, float %654)
  %703 = fcmp oge float %702, 0.000000e+00
  %704 = fcmp olt float %702, %537
  %705 = fptosi float %702 to i64
  %706 = mul nsw i64 %530, %705
  br label %713

707:
  %708 = sitofp i32 %733 to float
  %709 = fdiv float %708, 4.900000e+01
  br label %736

710:
  %711 = add nuw nsw i32 %700, 1
  %712 = icmp eq i32 %711, 7
  br i1 %712, label %707, label %698

713:
  %714 = phi i32 [ %699, %698 ], [ %733, %730 ]
  %715 = phi i32 [ 0, %698 ], [ %734, %730 ]
  %716 = uitofp nneg i32 %715 to float
  %717 = tail call float @llvm.fmuladd.f32(float %716, float %501, float %653)
  %718 = fcmp oge float %717, 0.000000e+00
  %719 = select i1 %718, i1 %703, i1 false
  %720 = fcmp olt float %717, %531
  %721 = and i1 %720, %719
  %722 = select i1 %721, i1 %704, i1 false
  br i1 %722, label %723, label %730

723:
  %724 = load ptr, ptr %697, align 8
  %725 = fptosi float %717 to i64
  %726 = getelementptr float, ptr %724, i64 %706
  %727 = getelementptr float, ptr %726, i64 %725
  %728 = load float, ptr %727, align 4
  %729 = fcmp ule float %728, %563
  br label %730

730:
  %731 = phi i1 [ %729, %723 ], [ true, %713 ]
  %732 = zext i1 %731 to i32
  %733 = add nsw i32 %714, %732
  %734 = add nuw nsw i32 %715, 1
  %735 = icmp eq i32 %734, 7
  br i1 %735, label %710, label %713

736:
  %737 = phi float [ 1.000000e+00, %534 ], [ 1.000000e+00, %528 ], [ 1.000000e+00, %525 ], [ 1.000000e+00, %500 ], [ 1.000000e+00, %540 ], [ 1.000000e+00, %554 ], [ %646, %643 ], [ %671, %669 ], [ %709, %707 ]
  %738 = fsub float 1.000000e+00, %737
  %739 = fmul float %495, %738
  br label %750

740:
  %741 = phi i64 [ %748, %740 ], [ 0, %486 ]
  %742 = getelementptr inbounds [3 x float], ptr %5, i64 0, i64 %741
  %743 = load float, ptr %742, align 4
  %744 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %741
  %745 = load float, ptr %744, align 4
  %746 = tail call float @llvm.fmuladd.f32(float %492, float %745, float %743)
  %747 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %741
  store float %746, ptr %747, align 4
  %748 = add nuw nsw i64 %741, 1
  %749 = icmp eq i64 %748, 3
  br i1 %749, label %494, label %740

750:
  %751 = phi float [ 0.000000e+00, %472 ], [ %739, %736 ], [ 0.000000e+00, %486 ]
  br label %752

752:
  %753 = phi float [ %751, %750 ], [ 0.000000e+00, %455 ], [ 0.000000e+00, %452 ], [ 0.000000e+00, %448 ]
  %754 = fsub float 1.000000e+00, %449
  %755 = tail call float @llvm.fmuladd.f32(float %754, float %753, float %449)
  %756 = fcmp ogt float %755, 0.000000e+00
  br i1 %756, label %757, label %787

757:
  %758 = load ptr, ptr %69, align 8
  %759 = add nsw i64 %168, %163
  %760 = shl nsw i64 %759, 2
  %761 = getelementptr inbounds i8, ptr %758, i64 %760
  %762 = fdiv float 1.000000e+00, %755
  %763 = fmul float %754, %753
  br label %772

764:
  %765 = tail call float @llvm.fmuladd.f32(float %755, float 2.550000e+02, float 5.000000e-01)
  %766 = fcmp ogt float %765, 0.000000e+00
  %767 = select i1 %766, float %765, float 0.000000e+00
  %768 = fcmp olt float %767, 2.550000e+02
  %769 = select i1 %768, float %767, float 2.550000e+02
  %770 = fptoui float %769 to i8
  %771 = getelementptr inbounds i8, ptr %761, i64 3
  store i8 %770, ptr %771, align 1
  br label %787

772:
  %773 = phi i64 [ 0, %757 ], [ %785, %772 ]
  %774 = getelementptr inbounds [4 x float], ptr %17, i64 0, i64 %773
  %775 = load float, ptr %774, align 4
  %776 = tail call float @llvm.fmuladd.f32(float %763, float 0x3FBEB851E0000000, float %775)
  %777 = fmul float %762, %776
  %778 = tail call float @llvm.fmuladd.f32(float %777, float 2.550000e+02, float 5.000000e-01)
  %779 = fcmp ogt float %778, 0.000000e+00
  %780 = select i1 %779, float %778, float 0.000000e+00
  %781 = fcmp olt float %780, 2.550000e+02
  %782 = select i1 %781, float %780, float 2.550000e+02
  %783 = fptoui float %782 to i8
  %784 = getelementptr inbounds i8, ptr %761, i64 %773
  store i8 %783, ptr %784, align 1
  %785 = add nuw nsw i64 %773, 1
  %786 = icmp eq i64 %785, 3
  br i1 %786, label %764, label %772

787:
  %788 = add i64 %168, 1
  %789 = icmp eq i64 %788, %156
  br i1 %789, label %164, label %167
}

define void @lay_over(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2, ptr nocapture noundef %3, i64 noundef %4) local_unnamed_addr #6 {
  %6 = icmp sgt i64 %2, 0
  br i1 %6, label %7, label %15

7:
  %8 = icmp sgt i64 %1, 0
  br label %9

9:
  %10 = phi i64 [ 0, %7 ], [ %17, %16 ]
  br i1 %8, label %11, label %16

11:
  %12 = mul nuw nsw i64 %10, %1
  %13 = mul nsw i64 %10, %4
  %14 = getelementptr inbounds i8, ptr %3, i64 %13
  br label %19

15:
  ret void

16:
  %17 = add nuw nsw i64 %10, 1
  %18 = icmp eq i64 %17, %2
  br i1 %18, label %15, label %9

19:
  %20 = phi i64 [ 0, %11 ], [ %49, %48 ]
  %21 = add nuw nsw i64 %20, %12
  %22 = shl nsw i64 %21, 2
  %23 = getelementptr inbounds i8, ptr %0, i64 %22
  %24 = shl nsw i64 %20, 2
  %25 = getelementptr inbounds i8, ptr %14, i64 %24
  %26 = getelementptr inbounds i8, ptr %23, i64 3
  %27 = load i8, ptr %26, align 1
  %28 = zext i8 %27 to i32
  %29 = icmp eq i8 %27, 0
  br i1 %29, label %48, label %30

30:
  %31 = xor i32 %28, 255
  br label %32

32:
  %33 = phi i64 [ 0, %30 ], [ %46, %32 ]
  %34 = getelementptr inbounds i8, ptr %23, i64 %33
  %35 = load i8, ptr %34, align 1
  %36 = zext i8 %35 to i32
  %37 = mul nuw nsw i32 %36, %28
  %38 = getelementptr inbounds i8, ptr %25, i64 %33
  %39 = load i8, ptr %38, align 1
  %40 = zext i8 %39 to i32
  %41 = mul nuw nsw i32 %31, %40
  %42 = add nuw nsw i32 %37, 127
  %43 = add nuw nsw i32 %42, %41
  %44 = udiv i32 %43, 255
  %45 = trunc i32 %44 to i8
  store i8 %45, ptr %38, align 1
  %46 = add nuw nsw i64 %33, 1
  %47 = icmp eq i64 %46, 3
  br i1 %47, label %48, label %32

48:
  %49 = add nuw nsw i64 %20, 1
  %50 = icmp eq i64 %49, %1
  br i1 %50, label %16, label %19
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #7

define internal fastcc void @normal_at(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef %4) unnamed_addr #5 {
  %6 = alloca [3 x float], align 4
  %7 = getelementptr inbounds i8, ptr %0, i64 16
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds i8, ptr %1, i64 24
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %1, align 8
  %12 = mul nsw i64 %11, %3
  %13 = getelementptr i32, ptr %10, i64 %12
  %14 = getelementptr i32, ptr %13, i64 %2
  %15 = load i32, ptr %14, align 4
  %16 = mul nsw i32 %15, 3
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i32, ptr %8, i64 %17
  %19 = getelementptr inbounds i8, ptr %0, i64 24
  %20 = load ptr, ptr %19, align 8
  %21 = load i32, ptr %18, align 4
  %22 = mul nsw i32 %21, 3
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds float, ptr %20, i64 %23
  %25 = getelementptr inbounds i8, ptr %18, i64 4
  %26 = load i32, ptr %25, align 4
  %27 = mul nsw i32 %26, 3
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds float, ptr %20, i64 %28
  %30 = getelementptr inbounds i8, ptr %18, i64 8
  %31 = load i32, ptr %30, align 4
  %32 = mul nsw i32 %31, 3
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds float, ptr %20, i64 %33
  %35 = load float, ptr %29, align 4
  %36 = load float, ptr %24, align 4
  %37 = fsub float %35, %36
  %38 = getelementptr inbounds i8, ptr %34, i64 4
  %39 = load float, ptr %38, align 4
  %40 = getelementptr inbounds i8, ptr %24, i64 4
  %41 = load float, ptr %40, align 4
  %42 = fsub float %39, %41
  %43 = getelementptr inbounds i8, ptr %29, i64 4
  %44 = load float, ptr %43, align 4
  %45 = fsub float %44, %41
  %46 = load float, ptr %34, align 4
  %47 = fsub float %46, %36
  %48 = fneg float %45
  %49 = fmul float %47, %48
  %50 = tail call float @llvm.fmuladd.f32(float %37, float %42, float %49)
  %51 = sitofp i64 %2 to float
  %52 = fadd float %51, 5.000000e-01
  %53 = fsub float %52, %36
  %54 = sitofp i64 %3 to float
  %55 = fadd float %54, 5.000000e-01
  %56 = fsub float %55, %41
  %57 = fsub float %41, %39
  %58 = fmul float %56, %47
  %59 = tail call float @llvm.fmuladd.f32(float %57, float %53, float %58)
  %60 = fsub float %36, %35
  %61 = fmul float %60, %56
  %62 = tail call float @llvm.fmuladd.f32(float %45, float %53, float %61)
  %63 = fneg float %50
  %64 = fsub float %63, %59
  %65 = fsub float %64, %62
  store float %65, ptr %6, align 4
  %66 = getelementptr inbounds i8, ptr %6, i64 4
  store float %59, ptr %66, align 4
  %67 = getelementptr inbounds i8, ptr %6, i64 8
  store float %62, ptr %67, align 4
  %68 = getelementptr inbounds i8, ptr %0, i64 32
  br label %90

69:
  %70 = load float, ptr %4, align 4
  %71 = getelementptr inbounds i8, ptr %4, i64 4
  %72 = load float, ptr %71, align 4
  %73 = fmul float %72, %72
  %74 = tail call float @llvm.fmuladd.f32(float %70, float %70, float %73)
  %75 = getelementptr inbounds i8, ptr %4, i64 8
  %76 = load float, ptr %75, align 4
  %77 = tail call float @llvm.fmuladd.f32(float %76, float %76, float %74)
  %78 = tail call float @sqrtf(float noundef %77) #12
  %79 = fcmp ogt float %78, 0x3BC79CA100000000
  %80 = fdiv float 1.000000e+00, %78
  %81 = select i1 %79, float %80, float 0.000000e+00
  br label %82

82:
  %83 = phi i64 [ 0, %69 ], [ %87, %82 ]
  %84 = getelementptr inbounds float, ptr %4, i64 %83
  %85 = load float, ptr %84, align 4
  %86 = fmul float %81, %85
  store float %86, ptr %84, align 4
  %87 = add nuw nsw i64 %83, 1
  %88 = icmp eq i64 %87, 3
  br i1 %88, label %89, label %82

89:
  ret void

90:
  %91 = phi i64 [ 0, %5 ], [ %95, %94 ]
  %92 = getelementptr inbounds float, ptr %4, i64 %91
  store float 0.000000e+00, ptr %92, align 4
  %93 = trunc nuw nsw i64 %91 to i32
  br label %97

94:
  %95 = add nuw nsw i64 %91, 1
  %96 = icmp eq i64 %95, 3
  br i1 %96, label %69, label %90

97:
  %98 = phi float [ 0.000000e+00, %90 ], [ %110, %97 ]
  %99 = phi i64 [ 0, %90 ], [ %111, %97 ]
  %100 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %99
  %101 = load float, ptr %100, align 4
  %102 = load ptr, ptr %68, align 8
  %103 = getelementptr inbounds i32, ptr %18, i64 %99
  %104 = load i32, ptr %103, align 4
  %105 = mul nsw i32 %104, 3
  %106 = add nsw i32 %105, %93
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds float, ptr %102, i64 %107
  %109 = load float, ptr %108, align 4
  %110 = tail call float @llvm.fmuladd.f32(float %101, float %109, float %98)
  store float %110, ptr %92, align 4
  %111 = add nuw nsw i64 %99, 1
  %112 = icmp eq i64 %111, 3
  br i1 %112, label %94, label %97
}

define internal fastcc void @shade(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef readonly %4, ptr nocapture noundef writeonly %5) unnamed_addr #2 {
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = load i64, ptr %1, align 8
  %10 = mul nsw i64 %9, %3
  %11 = add nsw i64 %10, %2
  %12 = getelementptr inbounds i8, ptr %0, i64 108
  %13 = load float, ptr %4, align 4
  %14 = load float, ptr %12, align 4
  %15 = getelementptr inbounds i8, ptr %4, i64 4
  %16 = load float, ptr %15, align 4
  %17 = getelementptr inbounds i8, ptr %0, i64 112
  %18 = load float, ptr %17, align 4
  %19 = fmul float %16, %18
  %20 = tail call float @llvm.fmuladd.f32(float %13, float %14, float %19)
  %21 = getelementptr inbounds i8, ptr %4, i64 8
  %22 = load float, ptr %21, align 4
  %23 = getelementptr inbounds i8, ptr %0, i64 116
  %24 = load float, ptr %23, align 4
  %25 = tail call float @llvm.fmuladd.f32(float %22, float %24, float %20)
  %26 = fcmp ogt float %25, 0.000000e+00
  br i1 %26, label %27, label %229

27:
  %28 = sitofp i64 %2 to float
  %29 = fadd float %28, 5.000000e-01
  %30 = sitofp i64 %3 to float
  %31 = fadd float %30, 5.000000e-01
  %32 = getelementptr inbounds i8, ptr %1, i64 16
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds float, ptr %33, i64 %11
  %35 = load float, ptr %34, align 4
  %36 = getelementptr inbounds i8, ptr %0, i64 100
  %37 = load float, ptr %36, align 4
  %38 = fcmp ogt float %37, 0.000000e+00
  %39 = fmul float %35, %37
  %40 = fdiv float 1.000000e+00, %39
  %41 = select i1 %38, float %40, float 1.000000e+00
  %42 = getelementptr inbounds i8, ptr %0, i64 88
  %43 = load float, ptr %42, align 8
  %44 = getelementptr inbounds i8, ptr %0, i64 96
  %45 = load float, ptr %44, align 8
  %46 = tail call float @llvm.fmuladd.f32(float %45, float %29, float %43)
  %47 = fmul float %46, %41
  store float %47, ptr %8, align 4
  %48 = getelementptr inbounds i8, ptr %0, i64 92
  %49 = load float, ptr %48, align 4
  %50 = fneg float %45
  %51 = tail call float @llvm.fmuladd.f32(float %50, float %31, float %49)
  %52 = fmul float %41, %51
  %53 = getelementptr inbounds i8, ptr %8, i64 4
  store float %52, ptr %53, align 4
  br i1 %38, label %54, label %57

54:
  %55 = fdiv float 1.000000e+00, %35
  %56 = fsub float %37, %55
  br label %61

57:
  %58 = getelementptr inbounds i8, ptr %0, i64 104
  %59 = load float, ptr %58, align 8
  %60 = fadd float %35, %59
  br label %61

61:
  %62 = phi float [ %56, %54 ], [ %60, %57 ]
  %63 = getelementptr inbounds i8, ptr %8, i64 8
  store float %62, ptr %63, align 4
  %64 = getelementptr inbounds i8, ptr %0, i64 216
  %65 = load float, ptr %64, align 8
  br label %204

66:
  %67 = getelementptr inbounds i8, ptr %0, i64 168
  %68 = load float, ptr %8, align 4
  %69 = load float, ptr %53, align 4
  %70 = load float, ptr %63, align 4
  br label %74

71:
  %72 = load float, ptr %7, align 4
  %73 = fcmp olt float %72, -6.000000e+00
  br i1 %73, label %191, label %93

74:
  %75 = phi i64 [ 0, %66 ], [ %91, %74 ]
  %76 = shl nuw nsw i64 %75, 2
  %77 = getelementptr inbounds float, ptr %67, i64 %76
  %78 = load float, ptr %77, align 4
  %79 = getelementptr inbounds i8, ptr %77, i64 4
  %80 = load float, ptr %79, align 4
  %81 = fmul float %80, %69
  %82 = tail call float @llvm.fmuladd.f32(float %78, float %68, float %81)
  %83 = getelementptr inbounds i8, ptr %77, i64 8
  %84 = load float, ptr %83, align 4
  %85 = tail call float @llvm.fmuladd.f32(float %84, float %70, float %82)
  %86 = or disjoint i64 %76, 3
  %87 = getelementptr inbounds [12 x float], ptr %67, i64 0, i64 %86
  %88 = load float, ptr %87, align 4
  %89 = fadd float %85, %88
  %90 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %75
  store float %89, ptr %90, align 4
  %91 = add nuw nsw i64 %75, 1
  %92 = icmp eq i64 %91, 3
  br i1 %92, label %71, label %74

93:
  %94 = getelementptr inbounds i8, ptr %7, i64 4
  %95 = load float, ptr %94, align 4
  %96 = fcmp olt float %95, -6.000000e+00
  br i1 %96, label %191, label %97

97:
  %98 = getelementptr inbounds i8, ptr %0, i64 152
  %99 = load ptr, ptr %98, align 8
  %100 = load i64, ptr %99, align 8
  %101 = sitofp i64 %100 to float
  %102 = fadd float %101, 6.000000e+00
  %103 = fcmp ogt float %72, %102
  br i1 %103, label %191, label %104

104:
  %105 = getelementptr inbounds i8, ptr %99, i64 8
  %106 = load i64, ptr %105, align 8
  %107 = sitofp i64 %106 to float
  %108 = fadd float %107, 6.000000e+00
  %109 = fcmp ogt float %95, %108
  br i1 %109, label %191, label %110

110:
  %111 = getelementptr inbounds i8, ptr %7, i64 8
  %112 = load float, ptr %111, align 4
  %113 = fadd float %112, %65
  %114 = fadd float %72, -5.000000e-01
  %115 = fadd float %95, -5.000000e-01
  %116 = fcmp oge float %114, 0.000000e+00
  %117 = fcmp oge float %115, 0.000000e+00
  %118 = and i1 %116, %117
  br i1 %118, label %119, label %155

119:
  %120 = fadd float %72, 5.000000e-01
  %121 = add nsw i64 %100, -1
  %122 = sitofp i64 %121 to float
  %123 = fcmp olt float %120, %122
  br i1 %123, label %124, label %155

124:
  %125 = fadd float %95, 5.000000e-01
  %126 = add nsw i64 %106, -1
  %127 = sitofp i64 %126 to float
  %128 = fcmp olt float %125, %127
  br i1 %128, label %129, label %155

129:
  %130 = getelementptr inbounds i8, ptr %99, i64 16
  %131 = load ptr, ptr %130, align 8
  br label %135

132:
  %133 = sitofp i32 %154 to float
  %134 = fmul float %133, 2.500000e-01
  br label %191

135:
  %136 = phi i32 [ 0, %129 ], [ %154, %143 ]
  %137 = phi i1 [ true, %129 ], [ false, %143 ]
  %138 = phi float [ 0.000000e+00, %129 ], [ 1.000000e+00, %143 ]
  %139 = fadd float %115, %138
  %140 = fptosi float %139 to i64
  %141 = mul nsw i64 %100, %140
  %142 = getelementptr inbounds float, ptr %131, i64 %141
  br label %144

143:
  br i1 %137, label %135, label %132

144:
  %145 = phi i32 [ %136, %135 ], [ %154, %144 ]
  %146 = phi i1 [ true, %135 ], [ false, %144 ]
  %147 = phi float [ 0.000000e+00, %135 ], [ 1.000000e+00, %144 ]
  %148 = fadd float %114, %147
  %149 = fptosi float %148 to i64
  %150 = getelementptr inbounds float, ptr %142, i64 %149
  %151 = load float, ptr %150, align 4
  %152 = fcmp ule float %151, %113
  %153 = zext i1 %152 to i32
  %154 = add nsw i32 %145, %153
  br i1 %146, label %144, label %143

155:
  %156 = getelementptr inbounds i8, ptr %99, i64 16
  br label %157

157:
  %158 = phi i32 [ 0, %155 ], [ %190, %169 ]
  %159 = phi i1 [ true, %155 ], [ false, %169 ]
  %160 = phi float [ 0.000000e+00, %155 ], [ 1.000000e+00, %169 ]
  %161 = fadd float %115, %160
  %162 = fcmp oge float %161, 0.000000e+00
  %163 = fcmp olt float %161, %107
  %164 = fptosi float %161 to i64
  %165 = mul nsw i64 %100, %164
  br label %170

166:
  %167 = sitofp i32 %190 to float
  %168 = fmul float %167, 2.500000e-01
  br label %191

169:
  br i1 %159, label %157, label %166

170:
  %171 = phi i32 [ %158, %157 ], [ %190, %187 ]
  %172 = phi i1 [ true, %157 ], [ false, %187 ]
  %173 = phi float [ 0.000000e+00, %157 ], [ 1.000000e+00, %187 ]
  %174 = fadd float %114, %173
  %175 = fcmp oge float %174, 0.000000e+00
  %176 = and i1 %175, %162
  %177 = fcmp olt float %174, %101
  %178 = and i1 %177, %176
  %179 = and i1 %178, %163
  br i1 %179, label %180, label %187

180:
  %181 = load ptr, ptr %156, align 8
  %182 = fptosi float %174 to i64
  %183 = getelementptr float, ptr %181, i64 %165
  %184 = getelementptr float, ptr %183, i64 %182
  %185 = load float, ptr %184, align 4
  %186 = fcmp ule float %185, %113
  br label %187

187:
  %188 = phi i1 [ %186, %180 ], [ true, %170 ]
  %189 = zext i1 %188 to i32
  %190 = add nsw i32 %171, %189
  br i1 %172, label %170, label %169

191:
  %192 = phi float [ 1.000000e+00, %104 ], [ 1.000000e+00, %97 ], [ 1.000000e+00, %93 ], [ 1.000000e+00, %71 ], [ %134, %132 ], [ %168, %166 ]
  %193 = getelementptr inbounds i8, ptr %0, i64 132
  %194 = load float, ptr %193, align 4
  %195 = getelementptr inbounds i8, ptr %0, i64 136
  %196 = load float, ptr %195, align 4
  %197 = fmul float %16, %196
  %198 = tail call float @llvm.fmuladd.f32(float %13, float %194, float %197)
  %199 = getelementptr inbounds i8, ptr %0, i64 140
  %200 = load float, ptr %199, align 4
  %201 = tail call float @llvm.fmuladd.f32(float %22, float %200, float %198)
  %202 = fcmp ogt float %201, 0.000000e+00
  %203 = select i1 %202, float %201, float 0.000000e+00
  br label %223

204:
  %205 = phi i64 [ 0, %61 ], [ %211, %204 ]
  %206 = getelementptr inbounds float, ptr %4, i64 %205
  %207 = load float, ptr %206, align 4
  %208 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %205
  %209 = load float, ptr %208, align 4
  %210 = tail call float @llvm.fmuladd.f32(float %65, float %207, float %209)
  store float %210, ptr %208, align 4
  %211 = add nuw nsw i64 %205, 1
  %212 = icmp eq i64 %211, 3
  br i1 %212, label %66, label %204

213:
  %214 = fmul float %25, %192
  %215 = fmul float %192, 0x3FCC28F5C0000000
  %216 = fmul float %25, 4.000000e+00
  %217 = fcmp ogt float %216, 0.000000e+00
  %218 = select i1 %217, float %216, float 0.000000e+00
  %219 = fcmp olt float %218, 1.000000e+00
  %220 = select i1 %219, float %218, float 1.000000e+00
  %221 = fmul float %220, %215
  %222 = fmul float %221, %226
  br label %229

223:
  %224 = phi float [ %203, %191 ], [ %226, %223 ]
  %225 = phi i32 [ 0, %191 ], [ %227, %223 ]
  %226 = fmul float %224, %224
  %227 = add nuw nsw i32 %225, 1
  %228 = icmp eq i32 %227, 5
  br i1 %228, label %213, label %223

229:
  %230 = phi float [ %222, %213 ], [ 0.000000e+00, %6 ]
  %231 = phi float [ %214, %213 ], [ 0.000000e+00, %6 ]
  %232 = getelementptr inbounds i8, ptr %0, i64 120
  %233 = load float, ptr %232, align 4
  %234 = getelementptr inbounds i8, ptr %0, i64 124
  %235 = load float, ptr %234, align 4
  %236 = fmul float %16, %235
  %237 = tail call float @llvm.fmuladd.f32(float %13, float %233, float %236)
  %238 = getelementptr inbounds i8, ptr %0, i64 128
  %239 = load float, ptr %238, align 4
  %240 = tail call float @llvm.fmuladd.f32(float %22, float %239, float %237)
  %241 = tail call float @llvm.fmuladd.f32(float %240, float 5.000000e-01, float 5.000000e-01)
  %242 = tail call float @llvm.fmuladd.f32(float %241, float 0x3FD0A3D700000000, float 0x3FD47AE140000000)
  %243 = fcmp ogt float %22, 0.000000e+00
  %244 = select i1 %243, float %22, float 0.000000e+00
  %245 = tail call float @llvm.fmuladd.f32(float %244, float 0x3FC1EB8520000000, float %242)
  %246 = tail call float @llvm.fmuladd.f32(float %231, float 0x3FDC28F5C0000000, float %245)
  %247 = getelementptr inbounds i8, ptr %0, i64 40
  %248 = load ptr, ptr %247, align 8
  %249 = getelementptr inbounds i8, ptr %1, i64 24
  %250 = load ptr, ptr %249, align 8
  %251 = getelementptr inbounds i32, ptr %250, i64 %11
  %252 = load i32, ptr %251, align 4
  %253 = shl nsw i32 %252, 2
  %254 = sext i32 %253 to i64
  %255 = getelementptr inbounds float, ptr %248, i64 %254
  br label %257

256:
  ret void

257:
  %258 = phi i64 [ 0, %229 ], [ %267, %257 ]
  %259 = getelementptr inbounds float, ptr %255, i64 %258
  %260 = load float, ptr %259, align 4
  %261 = tail call float @llvm.fmuladd.f32(float %260, float %246, float %230)
  %262 = fcmp ogt float %261, 0.000000e+00
  %263 = select i1 %262, float %261, float 0.000000e+00
  %264 = fcmp olt float %263, 1.000000e+00
  %265 = select i1 %264, float %263, float 1.000000e+00
  %266 = getelementptr inbounds float, ptr %5, i64 %258
  store float %265, ptr %266, align 4
  %267 = add nuw nsw i64 %258, 1
  %268 = icmp eq i64 %267, 3
  br i1 %268, label %256, label %257
}

declare float @sqrtf(float noundef) local_unnamed_addr #8

declare float @llvm.fabs.f32(float) #9

declare i32 @llvm.smin.i32(i32, i32) #9

declare i32 @llvm.smax.i32(i32, i32) #9

declare i64 @llvm.smin.i64(i64, i64) #9

declare i64 @llvm.smax.i64(i64, i64) #9

attributes #0 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #5 = { nounwind }
attributes #6 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #7 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { nounwind }
attributes #9 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nounwind }
attributes #11 = { nobuiltin }
attributes #12 = { nobuiltin nounwind }
